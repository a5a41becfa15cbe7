import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { Context } from '../packages/server/cli/context.ts'
import { aProject, aTask, aWorkflow, type Resource } from './builders.ts'
import { contentsOf, meddle } from './database.ts'
import { FIVETAB, fivetab, type Outcome } from './fivetab.ts'
import { aWebhook, openReceiver } from './receiver.ts'
import { DAY, ENGINES, HOUR, openWorld, type World } from './world.ts'

/** Runs `fivetab event list` for the account of the world, beside its service. */
const list = (world: World, options = '', around: Partial<Context> = {}): Promise<Outcome> =>
  fivetab(world, `event list --account ${world.account.email}${options}`, { clock: world.clock, ...around })

/** What a command printed that was to succeed and to print no error. */
function said({ code, out, err }: Outcome): string {
  assert.deepEqual({ code, err }, { code: 0, err: '' })
  return out
}

const sequencesOf = (events: Resource[]): number[] => events.map((event) => event.sequence)

/** The sequences in lines of text. */
const sequencesIn = (out: string): number[] => out.split('\n').map((line) => Number.parseInt(line, 10))

interface Following extends Pick<Context, 'pause'> {
  /** How long it was to wait before each look, in ms. */
  waits: number[]
}

/** Has each of these happen before a look at the log, one before each; then the command is told to stop. */
function following(...happen: (() => unknown)[]): Following {
  const waits: number[] = []
  const left = [...happen]
  const pause = async (ms: number) => {
    waits.push(ms)
    const next = left.shift()
    await next?.()
    return next !== undefined
  }
  return { waits, pause }
}

const NOTHING = () => {}

/** Makes `count` events by hand, after those that there are. */
async function putEvents(world: World, count: number): Promise<void> {
  const { id } = world.account
  await world.given(aTask())
  await meddle(
    world,
    `insert into events (account_id, sequence, id, type, occurred_at, cause, token_id, request_id, data, previous)
     select e.account_id, e.sequence + n.i, e.id, e.type, e.occurred_at, e.cause, e.token_id, e.request_id, e.data, e.previous
     from events e, (with recursive c(i) as (select 1 union all select i + 1 from c where i < ${count - 1}) select i from c) n
     where e.account_id = '${id}'`,
    `update ledgers set last_sequence = ${count} where account_id = '${id}'`,
  )
}

for (const engine of ENGINES) {
  describe(`fivetab event list (${engine})`, () => {
    it('prints a line for an event: sequence, time, type, cause, and what changed by its id and its title or name', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject({ name: 'House move' }))
      const workflow = await world.given(aWorkflow({ name: 'Article', statuses: [{ name: 'Draft', disposition: 'in_progress' }] }))
      const task = await world.given(aTask({ title: 'Buy boxes' }))
      world.advance(HOUR)
      await world.api.delete(`/tasks/${task.id}`)
      const [status] = workflow.statuses
      const noon = '2026-11-21T12:00:00.000Z'

      assert.deepEqual(
        said(await list(world))
          .split('\n')
          .map((line) => line.trim().split(/ {2,}/)),
        [
          ['1', noon, 'project.created', 'api', project.id, 'House move'],
          ['2', noon, 'workflow.created', 'api', workflow.id, 'Article'],
          ['3', noon, 'status.created', 'api', status.id, 'Draft'],
          ['4', noon, 'task.created', 'api', task.id, 'Buy boxes'],
          ['5', world.now, 'task.deleted', 'api', task.id, 'Buy boxes'],
        ],
      )
    })

    it('prints the events as the feed shows them, as one JSON value', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.given(aWorkflow())
      await world.api.post(`/tasks/${task.id}/complete`)

      const feed = (await world.api.get('/events')).body.data

      assert.deepEqual(JSON.parse(said(await list(world, ' --json'))), feed)
    })

    it('shows of a webhook that was disabled where it led to', async () => {
      await using world = await openWorld(engine, { environment: { WEBHOOK_ALLOWED_RANGES: '127.0.0.1' } })
      await using receiver = await openReceiver()
      const { id, url } = await world.given(aWebhook(receiver))
      await fivetab(world, `webhook disable ${id}`, { clock: world.clock })

      assert.match(said(await list(world)), new RegExp(` webhook\\.disabled +operator +${id} +${url}$`))
    })

    it('shows the log of this account and of no other', async () => {
      await using world = await openWorld(engine)
      const { api } = await world.newAccount()
      await aTask({ title: 'Not ours' })(api)
      await world.given(aTask({ title: 'Ours' }))

      assert.match(said(await list(world)), /^ +1 [^\n]+ Ours$/)
    })

    it('begins after the sequence that is given', async () => {
      await using world = await openWorld(engine)
      for (let n = 0; n < 4; n++) await world.given(aTask())

      assert.deepEqual(sequencesIn(said(await list(world, ' --after 2'))), [3, 4])
      assert.deepEqual(sequencesOf(JSON.parse(said(await list(world, ' --after 3 --json')))), [4])
      assert.deepEqual([said(await list(world, ' --after 4')), said(await list(world, ' --after 4 --json'))], ['', '[]'])
    })

    it('prints all of a log that is longer than what it reads at once', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 1_201)
      const all = Array.from({ length: 1_201 }, (_, index) => index + 1)

      assert.deepEqual(sequencesIn(said(await list(world))), all)
      assert.deepEqual(sequencesOf(JSON.parse(said(await list(world, ' --json')))), all)
    })

    it('prints no more than the limit, and says how to go on when there is more', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 1_002)

      for (const [limit, first, last, more] of [
        [2, 1, 2, 'There is more: go on with --after 2.'],
        [1_001, 1, 1_001, 'There is more: go on with --after 1001.'],
        [1_002, 1, 1_002, ''],
        [5_000, 1, 1_002, ''],
      ]) {
        const { code, out, err } = await list(world, ` --limit ${limit}`)
        const sequences = sequencesIn(out)
        assert.deepEqual({ code, err, first: sequences[0], last: sequences.at(-1) }, { code: 0, err: more, first, last })
      }
    })

    it('begins with what is kept when the beginning was forgotten', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())
      world.advance(31 * DAY)
      await world.given(aTask())
      await world.service.timers.prune()

      assert.deepEqual(sequencesIn(said(await list(world))), [2])
    })

    it('prints nothing of a log without events', async () => {
      await using world = await openWorld(engine)

      assert.deepEqual([said(await list(world)), said(await list(world, ' --json'))], ['', '[]'])
    })
  })

  describe(`fivetab event list --follow (${engine})`, () => {
    it('goes on with what happens from now on', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask({ title: 'Before' }))
      const told = following(
        NOTHING,
        () => world.given(aTask({ title: 'Second' })),
        NOTHING,
        async () => {
          await world.given(aTask({ title: 'Third' }))
          await world.given(aTask({ title: 'Fourth' }))
        },
      )

      const out = said(await list(world, ' --follow', told))

      assert.deepEqual(sequencesIn(out), [2, 3, 4])
      assert.match(out, /Second\n.*Third\n.*Fourth$/)
    })

    it('looks once a second, and at once when there is more already', async () => {
      await using world = await openWorld(engine)
      await putEvents(world, 1_001)
      const told = following(NOTHING, NOTHING, NOTHING, NOTHING)

      const out = said(await list(world, ' --follow --after 0', told))

      assert.equal(sequencesIn(out).length, 1_001)
      assert.deepEqual(told.waits, [0, 0, 0, 1_000, 1_000])
    })

    it('begins after the sequence that is given', async () => {
      await using world = await openWorld(engine)
      for (let n = 0; n < 3; n++) await world.given(aTask())
      const told = following(NOTHING, () => world.given(aTask()))

      assert.deepEqual(sequencesIn(said(await list(world, ' --follow --after 1', told))), [2, 3, 4])
    })

    it('prints an event a line in JSON', async () => {
      await using world = await openWorld(engine)
      const told = following(
        () => world.given(aTask()),
        () => world.given(aProject()),
      )

      const lines = said(await list(world, ' --follow --json', told)).split('\n')

      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        (await world.api.get('/events')).body.data,
      )
    })

    it('ends by itself when it has printed as many as the limit', async () => {
      await using world = await openWorld(engine)
      const told = following(
        () => world.given(aTask()),
        () => world.given(aTask()),
        () => assert.fail('It was to look no more.'),
      )

      assert.deepEqual(sequencesIn(said(await list(world, ' --follow --limit 2', told))), [1, 2])
    })

    it('ends with what is wrong when the account is deleted meanwhile', async () => {
      await using world = await openWorld(engine)
      const remove = () => fivetab(world, `account delete ${world.account.email}`, { clock: world.clock })

      const { code, err } = await list(world, ' --follow', following(NOTHING, remove))

      assert.deepEqual({ code, err }, { code: 2, err: `There is no account with the address ${world.account.email}.` })
    })
  })

  describe(`a wrong command line on events (${engine})`, () => {
    it('says how far the log reaches when what is asked for lies outside of it, and exits with 2', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())
      world.advance(31 * DAY)
      await world.given(aTask())
      await world.given(aTask())
      await world.service.timers.prune()

      for (const options of [' --after 4', ' --after 4 --follow', ' --after 4 --json']) {
        const { code, out, err } = await list(world, options, following(NOTHING))
        assert.deepEqual({ code, out }, { code: 2, out: '' })
        assert.match(err, /has not come to 4: its last event is 3/)
      }
      const { code, err } = await list(world, ' --after 0')
      assert.equal(code, 2)
      assert.match(err, /no longer holds all that came after 0: it begins with 2/)
      assert.deepEqual(sequencesIn(said(await list(world, ' --after 1'))), [2, 3])
    })

    const wrong: [line: string, ...said: RegExp[]][] = [
      ['event', /Usage: fivetab event/, /list/],
      ['event list', /--account/],
      ['event list --account eve@example.org', /no account with the address eve@example\.org/],
      ['event list --account eve@example.org --follow', /no account with the address eve@example\.org/],
      ['event list --account eve@example.org --after x', /'x' is invalid/, /whole number/],
      ['event list --account eve@example.org --after 1.5', /'1.5' is invalid/, /whole number/],
      ['event list --account eve@example.org --limit 0', /'0' is invalid/, /whole number from 1/],
      ['event lst', /unknown command 'lst'/, /list/],
    ]

    it('says what was wrong and what would be right, exits with 2, and changes nothing', async () => {
      await using world = await openWorld(engine)
      const before = await contentsOf(world)

      for (const [line, ...words] of wrong) {
        const { code, out, err } = await fivetab(world, line, { clock: world.clock })
        assert.deepEqual({ line, code, out }, { line, code: 2, out: '' }, err)
        for (const pattern of words) assert.match(err, pattern)
      }

      assert.deepEqual(await contentsOf(world), before)
    })
  })
}

describe('fivetab event list, in a process of its own', () => {
  /** The process, with its lines as they come. */
  function startList(world: World, options: string) {
    const words = ['event', 'list', '--account', world.account.email, ...options.split(' ')]
    const child = spawn(process.execPath, [FIVETAB, ...words], { env: { ...world.environment }, stdio: ['ignore', 'pipe', 'pipe'] })
    return { child, ended: once(child, 'close'), err: text(child.stderr) }
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`follows until ${signal}, and exits with 0`, async () => {
      await using world = await openWorld('sqlite')
      await world.given(aTask({ title: 'First' }))
      const { child, ended, err } = startList(world, '--follow --after 0')

      const [line] = await once(createInterface({ input: child.stdout }), 'line')
      child.kill(signal)

      assert.match(line, / First$/)
      assert.deepEqual([await ended, await err], [[0, null], ''])
    })
  }

  it('ends without a word when nobody reads on', async () => {
    await using world = await openWorld('sqlite')
    await putEvents(world, 2_000)
    const { child, ended, err } = startList(world, '--json')

    child.stdout.once('data', () => child.stdout.destroy())

    assert.deepEqual([await ended, await err], [[0, null], ''])
  })
})
