import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aWorkflow, type Resource, statusOf, UNKNOWN_ID } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { workflowNow } from './reading.ts'
import { assertInvalid, assertProblem, ENGINES, HOUR, MINUTE, openWorld } from './world.ts'

const REFUSED_ALWAYS: [what: string, body: Record<string, unknown>, name: string, code: string][] = [
  ['an empty name', { name: '' }, 'name', 'too_short'],
  ['a name of spaces', { name: ' \t ' }, 'name', 'too_short'],
  ['a name of 201 code points', { name: '🖋'.repeat(201) }, 'name', 'too_long'],
  ['a name of two lines', { name: 'a\nb' }, 'name', 'malformed'],
  ['null for the name', { name: null }, 'name', 'invalid_type'],
  ['not_started, which has no Statuses', { disposition: 'not_started' }, 'disposition', 'invalid_value'],
  ['a Disposition that there is not', { disposition: 'today' }, 'disposition', 'invalid_value'],
  ['null for the Disposition', { disposition: null }, 'disposition', 'invalid_type'],
  ['another Workflow', { workflow_id: UNKNOWN_ID }, 'workflow_id', 'unknown'],
  ['an unknown field', { emoji: '🚀' }, 'emoji', 'unknown'],
]

type Send = (api: Client, workflowId: string, statusId: string) => Promise<Reply>

const OF_ALL: [what: string, send: Send][] = [
  ['listing', (api, id) => api.get(`/workflows/${id}/statuses`)],
  ['creating', (api, id) => api.post(`/workflows/${id}/statuses`, { name: 'x', disposition: 'waiting' })],
]

const OF_ONE: typeof OF_ALL = [
  ['reading', (api, id, statusId) => api.get(`/workflows/${id}/statuses/${statusId}`)],
  ['changing', (api, id, statusId) => api.patch(`/workflows/${id}/statuses/${statusId}`, { name: 'y' })],
  ['deleting', (api, id, statusId) => api.delete(`/workflows/${id}/statuses/${statusId}`)],
]

for (const engine of ENGINES) {
  describe(`adding a Status (${engine})`, () => {
    it('answers 201 with the whole Status, its ETag and where to find it', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())

      const reply = await world.api.post(`/workflows/${workflow.id}/statuses`, { name: ' Proofs ', disposition: 'waiting' })

      assert.equal(reply.status, 201)
      const { id, position, version, ...rest } = reply.body
      assert.deepEqual(rest, {
        object: 'status',
        workflow_id: workflow.id,
        name: 'Proofs',
        disposition: 'waiting',
        created_at: world.now,
        updated_at: world.now,
      })
      assert.equal(typeof position, 'number')
      assert.equal(reply.headers.etag, version)
      assert.equal(reply.headers.location, `${world.service.url}/v1/workflows/${workflow.id}/statuses/${id}`)
      assert.deepEqual((await world.api.get(`/workflows/${workflow.id}/statuses/${id}`)).body, reply.body)
    })

    for (const disposition of ['in_progress', 'waiting', 'on_hold', 'done']) {
      it(`puts it last among those for ${disposition}`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())

        const status = (await world.api.post(`/workflows/${workflow.id}/statuses`, { name: 'New', disposition })).body

        const siblings = (await workflowNow(world.api, workflow)).statuses.filter((one: Resource) => one.disposition === disposition)
        assert.deepEqual(siblings.at(-1), status)
        assert.equal(siblings.length, workflow.statuses.filter((one: Resource) => one.disposition === disposition).length + 1)
      })
    }

    for (const name of ['x', '🖋'.repeat(200)]) {
      it(`takes a name of ${[...name].length} code points`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())

        const reply = await world.api.post(`/workflows/${workflow.id}/statuses`, { name: ` ${name}\n`, disposition: 'done' })

        assert.partialDeepStrictEqual(reply, { status: 201, body: { name } })
      })
    }

    for (const [what, body, name, code] of REFUSED_ALWAYS) {
      it(`refuses ${what}, as changing one does`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const whole = { name: 'x', disposition: 'waiting', ...body }

        assertInvalid(await world.api.post(`/workflows/${workflow.id}/statuses`, whole), ['body', name, code])
        assertInvalid(await world.api.patch(`/workflows/${workflow.id}/statuses/${workflow.statuses[0].id}`, body), ['body', name, code])

        assert.deepEqual(await workflowNow(world.api, workflow), workflow)
      })
    }

    it('needs a name and a Disposition, and takes no position', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      assertInvalid(
        await world.api.post(`/workflows/${workflow.id}/statuses`, { position: 1 }),
        ['body', 'name', 'required'],
        ['body', 'disposition', 'required'],
        ['body', 'position', 'unknown'],
      )
    })

    it('fills a Workflow up to 100 Statuses and refuses the 101st, however many come at once', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const add = (n: number) => world.api.post(`/workflows/${workflow.id}/statuses`, { name: `Stage ${n}`, disposition: 'waiting' })

      const replies = await Promise.all(Array.from({ length: 100 - workflow.statuses.length + 2 }, (_, n) => add(n)))

      const refused = replies.filter((reply) => reply.status !== 201)
      assert.equal(refused.length, 2)
      for (const reply of refused) assertInvalid(reply, ['body', '', 'out_of_range'])
      const now = await workflowNow(world.api, workflow)
      assert.equal(now.statuses.length, 100)
      await world.api.delete(`/workflows/${workflow.id}/statuses/${now.statuses[50].id}`)
      assert.equal((await add(101)).status, 201)
    })

    it('gives a retry with the same key and body the first Status as it is now', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const path = `/workflows/${workflow.id}/statuses`
      const send = (name: string) => world.api.post(path, { name, disposition: 'waiting' }, { 'idempotency-key': 'k' })
      const first = await send('Proofs')
      const changed = (await world.api.patch(`${path}/${first.body.id}`, { name: 'Galleys' })).body

      const again = await send('Proofs')

      assert.equal(again.status, 200)
      assert.deepEqual(again.body, changed)
      assert.partialDeepStrictEqual(again.headers, {
        'idempotent-replayed': 'true',
        etag: changed.version,
        location: first.headers.location,
      })
      assertInvalid(await send('Others'), ['header', 'Idempotency-Key', 'conflict'])
      assert.equal((await workflowNow(world.api, workflow)).statuses.length, workflow.statuses.length + 1)
    })

    it('makes a key stand for the one Workflow it was used with', async () => {
      await using world = await openWorld(engine)
      const workflows = [await world.given(aWorkflow()), await world.given(aWorkflow())]
      const send = ({ id }: Resource) =>
        world.api.post(`/workflows/${id}/statuses`, { name: 'Proofs', disposition: 'waiting' }, { 'idempotency-key': 'k' })

      const replies = [await send(workflows[0]), await send(workflows[1])]

      assert.deepEqual(
        replies.map(({ status, body }) => ({ status, workflow: body.workflow_id })),
        workflows.map(({ id }) => ({ status: 201, workflow: id })),
      )
    })
  })

  describe(`listing Statuses (${engine})`, () => {
    it('groups them by Disposition in tab order, then by position, and comes whole', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ statuses: [] }))
      const path = `/workflows/${workflow.id}/statuses`
      const made: Record<string, Resource> = {}
      for (const [name, disposition] of Object.entries({ a: 'done', b: 'in_progress', c: 'waiting', d: 'in_progress', e: 'on_hold' })) {
        made[name] = (await world.api.post(path, { name, disposition })).body
      }
      await world.api.patch(`${path}/${made.d.id}`, { position: made.b.position - 1 })

      const reply = await world.api.get(path)

      assert.deepEqual(
        reply.body.data.map((status: Resource) => status.name),
        ['d', 'b', 'c', 'e', 'a'],
      )
      const { data, ...envelope } = reply.body
      assert.deepEqual(envelope, { object: 'list', has_more: false, next_cursor: null })
      assert.deepEqual((await workflowNow(world.api, workflow)).statuses, data)
    })

    it('takes no parameters', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      assertInvalid(await world.api.get(`/workflows/${workflow.id}/statuses?limit=5`), ['query', 'limit', 'unknown'])
    })
  })

  describe(`changing a Status (${engine})`, () => {
    it('changes only the fields that are sent', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const status = statusOf(workflow, 'Review')
      world.advance(MINUTE)

      const reply = await world.api.patch(`/workflows/${workflow.id}/statuses/${status.id}`, { name: ' Edit ' })

      assert.equal(reply.status, 200)
      assert.notEqual(reply.body.version, status.version)
      assert.deepEqual(reply.body, { ...status, name: 'Edit', updated_at: world.now, version: reply.body.version })
      assert.equal(reply.headers.etag, reply.body.version)
      assert.deepEqual((await world.api.get(`/workflows/${workflow.id}/statuses/${status.id}`)).body, reply.body)
    })

    it('changes nothing with what it already has, or with nothing, and neither does the Workflow', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const status = statusOf(workflow, 'Review')
      const known = await world.events()
      world.advance(HOUR)
      const { name, disposition, position } = status

      for (const body of [{}, { name, disposition, position }]) {
        const reply = await world.api.patch(`/workflows/${workflow.id}/statuses/${status.id}`, body)
        assert.partialDeepStrictEqual(reply, { status: 200, body: status })
      }

      assert.deepEqual(await workflowNow(world.api, workflow), workflow)
      assert.deepEqual(await world.events(), known)
    })

    for (const value of [null, '1']) {
      it(`refuses ${JSON.stringify(value)} for position`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const reply = await world.api.patch(`/workflows/${workflow.id}/statuses/${workflow.statuses[0].id}`, { position: value })
        assertInvalid(reply, ['body', 'position', 'invalid_type'])
      })
    }

    const CHANGES: [what: string, change: (api: Client, path: string, id: string) => Promise<Reply>][] = [
      ['a Status more', (api, path) => api.post(path, { name: 'New', disposition: 'waiting' })],
      ['a new name of one', (api, path, id) => api.patch(`${path}/${id}`, { name: 'New' })],
      ['a new place of one', (api, path, id) => api.patch(`${path}/${id}`, { position: 9 })],
      ['another Disposition of one', (api, path, id) => api.patch(`${path}/${id}`, { disposition: 'done' })],
      ['a Status less', (api, path, id) => api.delete(`${path}/${id}`)],
    ]
    for (const [what, change] of CHANGES) {
      it(`makes ${what} a new version of the Workflow, recorded as a cascade`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const known = (await world.events()).length
        world.advance(MINUTE)

        const reply = await change(world.api, `/workflows/${workflow.id}/statuses`, statusOf(workflow, 'Feedback').id)

        assert.ok(reply.status < 300)
        const { statuses: _, ...now } = await workflowNow(world.api, workflow)
        assert.notEqual(now.version, workflow.version)
        assert.equal(now.updated_at, world.now)
        const events = (await world.events()).slice(known).filter((event) => event.type === 'workflow.updated')
        assert.deepEqual(
          events.map(({ cause, data, previous }) => ({ cause, data, previous })),
          [{ cause: 'cascade', data: now, previous: { version: workflow.version, updated_at: workflow.updated_at } }],
        )
        assertProblem(await world.api.patch(`/workflows/${workflow.id}`, {}, { 'if-match': workflow.version }), 412, 'precondition_failed')
      })
    }

    it('makes no new version of its siblings or of another Workflow', async () => {
      await using world = await openWorld(engine)
      const [workflow, other] = [await world.given(aWorkflow()), await world.given(aWorkflow())]
      const changed = statusOf(workflow, 'Review')

      await world.api.patch(`/workflows/${workflow.id}/statuses/${changed.id}`, { name: 'Edit', position: 0.5 })

      const rest = ({ statuses }: Resource) => statuses.filter((one: Resource) => one.id !== changed.id)
      assert.deepEqual(rest(await workflowNow(world.api, workflow)), rest(workflow))
      assert.deepEqual(await workflowNow(world.api, other), other)
    })
  })

  describe(`a Status and its readers (${engine})`, () => {
    it('is gone after a DELETE, which answers 204 without a body', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const [first, ...rest] = workflow.statuses

      const reply = await world.api.delete(`/workflows/${workflow.id}/statuses/${first.id}`)

      assert.deepEqual({ status: reply.status, text: reply.text }, { status: 204, text: '' })
      assert.deepEqual((await workflowNow(world.api, workflow)).statuses, rest)
      for (const [, send] of OF_ONE) assertProblem(await send(world.api, workflow.id, first.id), 404, 'not_found')
    })

    for (const [what, send] of OF_ONE) {
      it(`is 404 for ${what} when it is unknown, of another Workflow or another account's`, async () => {
        await using world = await openWorld(engine)
        const [workflow, other] = [await world.given(aWorkflow()), await world.given(aWorkflow())]
        const [mine, theirs] = [workflow.statuses[0].id, other.statuses[0].id]
        const { api: stranger } = await world.newAccount()

        assertProblem(await send(world.api, workflow.id, UNKNOWN_ID), 404, 'not_found')
        assertProblem(await send(world.api, UNKNOWN_ID, mine), 404, 'not_found')
        assertProblem(await send(world.api, workflow.id, theirs), 404, 'not_found')
        assertProblem(await send(stranger, workflow.id, mine), 404, 'not_found')
        assertInvalid(await send(world.api, 'one', 'two'), ['path', 'id', 'invalid_format'], ['path', 'status_id', 'invalid_format'])
        assert.deepEqual(await workflowNow(world.api, workflow), workflow)
        assert.deepEqual(await workflowNow(world.api, other), other)
      })
    }

    for (const [what, send] of OF_ALL) {
      it(`is 404 for ${what} when the Workflow is unknown or another account's`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const { api: stranger } = await world.newAccount()

        assertProblem(await send(world.api, UNKNOWN_ID, ''), 404, 'not_found')
        assertProblem(await send(stranger, workflow.id, ''), 404, 'not_found')
        assertInvalid(await send(world.api, 'one', ''), ['path', 'id', 'invalid_format'])
        assert.deepEqual(await workflowNow(world.api, workflow), workflow)
      })
    }

    for (const method of ['PATCH', 'DELETE']) {
      it(`is safe from a ${method} that expected another version`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const path = `/workflows/${workflow.id}/statuses/${workflow.statuses[0].id}`
        const current = (await world.api.patch(path, { name: 'Edit' })).body
        const send = (tag: string) =>
          world.api.send(method, path, { headers: { 'if-match': tag }, ...(method === 'PATCH' && { body: { name: 'Lost' } }) })

        const refused = await send(workflow.statuses[0].version)

        const body = assertProblem(refused, 412, 'precondition_failed')
        assert.deepEqual({ version: body.version, current: body.current }, { version: current.version, current })
        assert.equal(refused.headers.etag, current.version)
        assert.deepEqual((await world.api.get(path)).body, current)
        assert.ok((await send(current.version)).status < 300)
      })
    }

    it('keeps its version when only its Workflow changes', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const [status] = workflow.statuses
      await world.api.patch(`/workflows/${workflow.id}`, { name: 'Essay' })

      const reply = await world.api.patch(`/workflows/${workflow.id}/statuses/${status.id}`, { name: 'x' }, { 'if-match': status.version })

      assert.equal(reply.status, 200)
    })

    it('is not sent again to one who has it', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const { id, version } = workflow.statuses[0]

      const reply = await world.api.get(`/workflows/${workflow.id}/statuses/${id}`, { 'if-none-match': version })

      assert.deepEqual({ status: reply.status, text: reply.text, etag: reply.headers.etag }, { status: 304, text: '', etag: version })
    })
  })
}
