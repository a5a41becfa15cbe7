import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aTask, type Resource, UNKNOWN_ID } from './builders.ts'
import { contentsOf } from './database.ts'
import { fivetab, fivetabJson, type Outcome } from './fivetab.ts'
import { aWebhook, openReceiver, REACHABLE, type Receiver, typesReceived } from './receiver.ts'
import { DAY, ENGINES, type EngineName, MINUTE, openWorld, type World } from './world.ts'

/** A world with a receiver. Commands run beside its service, on its data and at its time. */
interface Place extends AsyncDisposable {
  world: World
  receiver: Receiver
  run(line: string): Promise<Outcome>
  json(line: string): Promise<Resource>
  /** Has the service send all that it can. */
  deliver(): Promise<void>
  /** What the operator is shown of the account's webhooks. */
  listed(): Promise<Resource>
}

async function openPlace(engine: EngineName): Promise<Place> {
  const [world, receiver] = [await openWorld(engine, { environment: REACHABLE }), await openReceiver()]
  const around = { clock: world.clock }
  const json: Place['json'] = (line) => fivetabJson(world, line, around)
  return {
    world,
    receiver,
    run: (line) => fivetab(world, line, around),
    json,
    deliver: () => world.service.timers.deliver(),
    listed: () => json(`webhook list --account ${world.account.email}`),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

/** Rows of a table as it is printed, each as its cells, without the line of their names. */
function rowsOf({ code, out, err }: Outcome): string[][] {
  assert.deepEqual({ code, err }, { code: 0, err: '' })
  return out
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/))
}

for (const engine of ENGINES) {
  describe(`fivetab webhook list (${engine})`, () => {
    it('shows the webhooks of the account and of no other, as the API does', async () => {
      await using place = await openPlace(engine)
      const { world, receiver } = place
      const other = await world.newAccount()
      await aWebhook(receiver)(other.api)
      const made = await world.given(aWebhook(receiver, { event_types: ['task.*', 'project.deleted'] }))
      const off = await world.given(aWebhook(receiver, { enabled: false }))

      const shown = (await world.api.get('/webhooks')).body.data

      assert.deepEqual(
        await place.listed(),
        shown.map((webhook: Resource) => ({ ...webhook, failing_since: null })),
      )
      assert.deepEqual(rowsOf(await place.run(`webhook list --account ${world.account.email}`)), [
        [made.id, 'enabled', 'task.*,project.deleted', receiver.url],
        [off.id, 'disabled (request)', world.now, '*', receiver.url],
      ])
    })

    it('says since when a receiver has taken nothing', async () => {
      await using place = await openPlace(engine)
      const { world, receiver } = place
      const webhook = await world.given(aWebhook(receiver))
      const since = world.now
      receiver.answer = 500
      await world.given(aTask())
      await place.deliver()
      world.advance(MINUTE)

      assert.deepEqual(rowsOf(await place.run(`webhook list --account ${world.account.email}`)), [
        [webhook.id, 'failing', since, '*', receiver.url],
      ])
      assert.partialDeepStrictEqual(await place.listed(), [{ enabled: true, failing_since: since }])
    })

    it('prints no secret', async () => {
      await using place = await openPlace(engine)
      const { world } = place
      const webhook = await world.given(aWebhook(place.receiver))
      const rotated = (await world.api.post(`/webhooks/${webhook.id}/rotate_secret`)).body
      await world.given(aTask())
      await place.deliver()
      const list = `webhook list --account ${world.account.email}`
      const lines = [list, `webhook deliveries ${webhook.id}`, `webhook disable ${webhook.id}`, `webhook enable ${webhook.id}`]

      for (const line of lines.flatMap((one) => [one, `${one} --json`])) {
        const { code, out } = await place.run(line)
        assert.equal(code, 0)
        assert.doesNotMatch(out, /whsec_/)
        for (const { secret } of [webhook, rotated]) assert.ok(!out.includes(secret.slice('whsec_'.length)), line)
      }
    })
  })

  describe(`fivetab webhook disable (${engine})`, () => {
    it('has nothing more be sent, and says so in the log as done by the operator', async () => {
      await using place = await openPlace(engine)
      const { world, receiver } = place
      const webhook = await world.given(aWebhook(receiver))
      world.advance(MINUTE)

      const off = await place.json(`webhook disable ${webhook.id}`)
      await world.given(aTask())
      await place.deliver()

      assert.deepEqual(receiver.received, [])
      assert.partialDeepStrictEqual(off, { id: webhook.id, enabled: false, disabled_reason: 'operator', disabled_at: world.now })
      assert.deepEqual((await world.api.get(`/webhooks/${webhook.id}`)).body, off)
      const [event] = await world.events()
      assert.partialDeepStrictEqual(event, { type: 'webhook.disabled', cause: 'operator', tokenId: null, requestId: null, data: off })
    })

    it('gives up what was to be tried again', async () => {
      await using place = await openPlace(engine)
      const { world, receiver } = place
      const webhook = await world.given(aWebhook(receiver))
      receiver.answer = 500
      await world.given(aTask())
      await place.deliver()

      await place.json(`webhook disable ${webhook.id}`)
      world.advance(DAY)
      await place.deliver()

      assert.equal(receiver.received.length, 1)
      assert.partialDeepStrictEqual(await place.json(`webhook deliveries ${webhook.id}`), [{ state: 'failed', next_attempt_at: null }])
    })

    it('leaves one that is off already as it is, and says why and since when it is', async () => {
      await using place = await openPlace(engine)
      const { world } = place
      const { id, url } = await world.given(aWebhook(place.receiver, { enabled: false }))
      const since = world.now
      world.advance(MINUTE)

      const { out } = await place.run(`webhook disable ${id}`)

      assert.equal(out, `The webhook ${id} to ${url} is off since ${since} (request).`)
      assert.deepEqual(await world.events(), [])
    })

    it('takes the id in any case', async () => {
      await using place = await openPlace(engine)
      const { id } = await place.world.given(aWebhook(place.receiver))

      assert.partialDeepStrictEqual(await place.json(`webhook disable ${id.toUpperCase()}`), { id, enabled: false })
    })
  })

  describe(`fivetab webhook enable (${engine})`, () => {
    it('has be sent what happens from then on, and nothing of before', async () => {
      await using place = await openPlace(engine)
      const { world, receiver } = place
      const { id } = await world.given(aWebhook(receiver))
      await place.json(`webhook disable ${id}`)
      await world.given(aTask())

      const on = await place.json(`webhook enable ${id}`)
      await world.given(aProject())
      await place.deliver()

      assert.deepEqual(typesReceived(receiver), ['project.created'])
      assert.partialDeepStrictEqual(on, { id, enabled: true, disabled_reason: null, disabled_at: null })
    })

    it('leaves one that is on as it is', async () => {
      await using place = await openPlace(engine)
      const { world, receiver } = place
      const { id, version } = await world.given(aWebhook(receiver))
      await world.given(aTask())

      assert.partialDeepStrictEqual(await place.json(`webhook enable ${id}`), { enabled: true, version })
      await place.deliver()

      assert.deepEqual(typesReceived(receiver), ['task.created'])
    })
  })

  describe(`fivetab webhook deliveries (${engine})`, () => {
    it('shows the newest first, as the API does', async () => {
      await using place = await openPlace(engine)
      const { world, receiver } = place
      const { id } = await world.given(aWebhook(receiver))
      await world.given(aTask())
      await place.deliver()
      world.advance(MINUTE)
      receiver.answer = 503
      await world.given(aProject())
      await place.deliver()

      const shown = (await world.api.get(`/webhooks/${id}/deliveries?sort=-created_at`)).body.data

      assert.deepEqual(await place.json(`webhook deliveries ${id}`), shown)
      const [newer, older] = shown
      assert.deepEqual(rowsOf(await place.run(`webhook deliveries ${id}`)), [
        [newer.id, world.now, '2', 'project.created', 'pending', '1', newer.next_attempt_at, '503'],
        [older.id, older.created_at, '1', 'task.created', 'succeeded', '1', '200'],
      ])
    })

    it('says why there was no answer', async () => {
      await using place = await openPlace(engine)
      const { id } = await place.world.given(aWebhook(place.receiver))
      place.receiver.answer = (response) => response.destroy()
      await place.world.given(aTask())
      await place.deliver()

      assert.match((await place.run(`webhook deliveries ${id}`)).out, / The connection was closed before the answer was complete\.$/)
    })

    it('shows those of one state when that is asked for', async () => {
      await using place = await openPlace(engine)
      const { world, receiver } = place
      const { id } = await world.given(aWebhook(receiver))
      await world.given(aTask())
      await place.deliver()
      receiver.answer = 500
      await world.given(aProject())
      await place.deliver()
      await world.api.post(`/webhooks/${id}/test`)
      await place.deliver()

      const typesIn = async (state: string) =>
        (await place.json(`webhook deliveries ${id} --state ${state}`)).map((delivery: Resource) => delivery.event_type)

      assert.deepEqual(
        [await typesIn('succeeded'), await typesIn('pending'), await typesIn('failed')],
        [['task.created'], ['project.created'], ['webhook.test']],
      )
    })

    it('shows 20 unless another limit is given, and says so when there are more', async () => {
      await using place = await openPlace(engine)
      const { world } = place
      const { id } = await world.given(aWebhook(place.receiver))
      for (let n = 0; n < 21; n++) await world.given(aTask())
      await place.deliver()
      const sequences = async (options: string) => {
        const { code, out, err } = await place.run(`webhook deliveries ${id}${options} --json`)
        assert.equal(code, 0)
        return { sequences: JSON.parse(out).map((delivery: Resource) => delivery.sequence), err }
      }
      const from21 = Array.from({ length: 21 }, (_, index) => 21 - index)

      assert.deepEqual(await sequences(''), { sequences: from21.slice(0, 20), err: 'There are older ones: a higher --limit shows them.' })
      assert.deepEqual(await sequences(' --limit 21'), { sequences: from21, err: '' })
      assert.deepEqual((await sequences(' --limit 2')).sequences, [21, 20])
    })

    it('shows more of them than it reads at once', async () => {
      await using place = await openPlace(engine)
      const { world } = place
      const { id } = await world.given(aWebhook(place.receiver))
      for (let n = 0; n < 105; n++) await world.api.post(`/webhooks/${id}/test`)
      const ids = (lines: Resource[]) => lines.map((delivery) => delivery.id)

      const all = ids(await place.json(`webhook deliveries ${id} --limit 1000`))

      assert.deepEqual(all, [...new Set(all)].sort().reverse())
      assert.equal(all.length, 105)
      assert.deepEqual(ids(JSON.parse((await place.run(`webhook deliveries ${id} --limit 102 --json`)).out)), all.slice(0, 102))
    })
  })

  describe(`a wrong command line on webhooks (${engine})`, () => {
    const wrong: [line: string, ...said: RegExp[]][] = [
      ['webhook', /Usage: fivetab webhook/, /deliveries/],
      ['webhook list', /--account/],
      ['webhook list --account eve@example.org', /no account with the address eve@example\.org/],
      ['webhook disable', /missing required argument 'id'/],
      [`webhook disable ${UNKNOWN_ID}`, /no webhook with the id/, /webhook list/],
      ['webhook enable nonsense', /no webhook with the id nonsense/, /webhook list/],
      [`webhook deliveries ${UNKNOWN_ID}`, /no webhook with the id/, /webhook list/],
      [`webhook deliveries ${UNKNOWN_ID} --state gone`, /'gone' is invalid/, /pending, succeeded, failed/],
      [`webhook deliveries ${UNKNOWN_ID} --limit 0`, /'0' is invalid/, /whole number from 1/],
      [`webhook deliveries ${UNKNOWN_ID} --limit all`, /'all' is invalid/, /whole number/],
      ['webhook delete x', /unknown command 'delete'/],
    ]

    it('says what was wrong and what would be right, exits with 2, and changes nothing', async () => {
      await using place = await openPlace(engine)
      await place.world.given(aWebhook(place.receiver))
      const before = await contentsOf(place.world)

      for (const [line, ...said] of wrong) {
        const { code, out, err } = await place.run(line)
        assert.deepEqual({ line, code, out }, { line, code: 2, out: '' }, err)
        for (const pattern of said) assert.match(err, pattern)
      }

      assert.deepEqual(await contentsOf(place.world), before)
    })
  })
}
