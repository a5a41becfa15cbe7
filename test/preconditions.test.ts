import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aTask, aWorkflow, type Given, type Resource, UNKNOWN_ID } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { assertInvalid, assertProblem, DAY, ENGINES, HOUR, openWorld, thirtyTwo } from './world.ts'

type Headers = Record<string, string>

/** Each resource that has a version: where it is, and a change of it. */
const KINDS: { of: string; given: Given; path(resource: Resource): string; change(version: number): object }[] = [
  { of: 'a task', given: aTask(), path: ({ id }) => `/tasks/${id}`, change: (count) => ({ title: `Title ${count}` }) },
  { of: 'a project', given: aProject(), path: ({ id }) => `/projects/${id}`, change: (count) => ({ name: `Name ${count}` }) },
  { of: 'a Workflow', given: aWorkflow(), path: ({ id }) => `/workflows/${id}`, change: (count) => ({ name: `Name ${count}` }) },
  {
    of: 'a Status',
    given: async (api) => (await aWorkflow()(api)).statuses[0],
    path: ({ id, workflow_id }) => `/workflows/${workflow_id}/statuses/${id}`,
    change: (count) => ({ name: `Name ${count}` }),
  },
]

/** Every request that takes If-Match, to the resource at `path`. */
const WRITES: [what: string, kind: string, write: (api: Client, path: string, headers: Headers) => Promise<Reply>][] = [
  ...KINDS.flatMap(({ of, change }): typeof WRITES => [
    [`a PATCH of ${of}`, of, (api, path, headers) => api.patch(path, change(9), headers)],
    [`an empty PATCH of ${of}`, of, (api, path, headers) => api.patch(path, {}, headers)],
    [`a DELETE of ${of}`, of, (api, path, headers) => api.delete(path, headers)],
  ]),
  ...['complete', 'later', 'archive', 'unarchive'].map((action): (typeof WRITES)[number] => [
    `the action ${action}`,
    'a task',
    (api, path, headers) => api.post(`${path}/${action}`, undefined, headers),
  ]),
]

function kindOf(name: string) {
  const kind = KINDS.find(({ of }) => of === name)
  assert.ok(kind)
  return kind
}

/** Values of If-Match that name version 1. */
const MATCHING = ['"1"', '1', '*', '"9", "1"', '9,1', ' "1" ', 'W/"9", "1"', '"1",', ', "1"', '"9",,"1"', '"a,b", "1"']

/** Values of If-Match that are well-formed and do not name version 1. */
const FAILING = ['"2"', '2', 'W/"1"', '"9", "8"', '""', '"01"', '"1!"', 'abc', '"a,b"', '"9,1"']

const MALFORMED = ['', ',', ', ,', '"1', '1"', '"a', 'a"b', 'W/1', 'w/"1"', '"1" "2"', '*, "1"', "'1'", '"1";', '\u00e9']

for (const engine of ENGINES) {
  describe(`If-Match (${engine})`, () => {
    for (const [what, kind, write] of WRITES) {
      it(`lets ${what} pass with the ETag of the last read`, async () => {
        await using world = await openWorld(engine)
        const { given, path } = kindOf(kind)
        const at = path(await world.given(given))
        const { etag } = (await world.api.get(at)).headers

        const reply = await write(world.api, at, { 'if-match': etag as string })

        assert.equal(reply.status, what.startsWith('a DELETE') ? 204 : 200, reply.text)
      })

      it(`refuses ${what} when the resource has changed since, and shows it as it is now`, async () => {
        await using world = await openWorld(engine)
        const { given, path, change } = kindOf(kind)
        const at = path(await world.given(given))
        const { etag } = (await world.api.get(at)).headers
        await world.api.patch(at, change(1))
        const now = await world.api.get(at)
        const eventsBefore = await world.events()

        const reply = await write(world.api, at, { 'if-match': etag as string })

        const body = assertProblem(reply, 412, 'precondition_failed')
        assert.deepEqual(body.current, now.body)
        assert.equal(body.version, now.body.version)
        assert.equal(reply.headers.etag, now.headers.etag)
        assert.deepEqual(await world.events(), eventsBefore)
      })

      it(`does not let ${what} find what is not there, not even with *`, async () => {
        await using world = await openWorld(engine)
        const { path } = kindOf(kind)

        const reply = await write(world.api, path({ id: UNKNOWN_ID, workflow_id: UNKNOWN_ID }), { 'if-match': '*' })

        assertProblem(reply, 404, 'not_found')
      })
    }

    for (const value of MATCHING) {
      it(`is met by version 1 when it says ${value}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const reply = await world.api.patch(`/tasks/${task.id}`, { title: 'Two' }, { 'if-match': value })

        assert.deepEqual([reply.status, reply.body.version], [200, '"2"'])
      })
    }

    for (const value of FAILING) {
      it(`is not met by version 1 when it says ${value}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const reply = await world.api.patch(`/tasks/${task.id}`, { title: 'Two' }, { 'if-match': value })

        assertProblem(reply, 412, 'precondition_failed')
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, task)
      })
    }

    for (const value of MALFORMED) {
      it(`is refused when it says ${value === '' ? 'nothing' : value}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const reply = await world.api.patch(`/tasks/${task.id}`, { title: 'Two' }, { 'if-match': value })

        assertInvalid(reply, ['header', 'If-Match', 'invalid_format'])
      })
    }

    it('reads several headers as one list', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const reply = await world.api.patch(`/tasks/${task.id}`, { title: 'Two' }, { 'if-match': ['"9"', '"1"'] })

      assert.equal(reply.status, 200)
    })

    it('lets one of 32 changes at once pass', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const replies = await thirtyTwo(world, (index) =>
        world.api.patch(`/tasks/${task.id}`, { title: `Title ${index}` }, { 'if-match': task.version }),
      )

      const passed = replies.filter(({ status }) => status === 200)
      assert.equal(passed.length, 1)
      assert.equal(replies.filter(({ status }) => status === 412).length, 31)
      for (const reply of replies) {
        if (reply.status === 412) assert.deepEqual(reply.body.current, passed[0]?.body)
      }
      assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, passed[0]?.body)
    })

    it('is not met by a resource that came back to a former state', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ title: 'One' }))
      await world.api.patch(`/tasks/${task.id}`, { title: 'Two' })
      await world.api.patch(`/tasks/${task.id}`, { title: 'One' })

      const reply = await world.api.delete(`/tasks/${task.id}`, { 'if-match': task.version })

      assertProblem(reply, 412, 'precondition_failed')
    })

    it('is not met by a task that its timer woke since', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ disposition: 'on_hold', on_hold_until: world.later(HOUR) }))
      world.advance(DAY)
      await world.service.timers.wake()

      const reply = await world.api.post(`/tasks/${task.id}/complete`, undefined, { 'if-match': task.version })

      assert.partialDeepStrictEqual(assertProblem(reply, 412, 'precondition_failed'), { current: { disposition: 'in_progress' } })
    })

    it('recovers: what is in `current` can be changed with its version', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      await world.api.patch(`/tasks/${task.id}`, { title: 'Two' })
      const refused = await world.api.patch(`/tasks/${task.id}`, { notes: 'Mine' }, { 'if-match': task.version })

      const reply = await world.api.patch(`/tasks/${task.id}`, { notes: 'Mine' }, { 'if-match': refused.body.current.version })

      assert.partialDeepStrictEqual(reply.body, { title: 'Two', notes: 'Mine' })
    })
  })

  describe(`If-None-Match (${engine})`, () => {
    for (const { of, given, path, change } of KINDS) {
      it(`spares the reader ${of} that has not changed`, async () => {
        await using world = await openWorld(engine)
        const at = path(await world.given(given))
        const { etag } = (await world.api.get(at)).headers

        const reply = await world.api.get(at, { 'if-none-match': etag as string })

        assert.deepEqual([reply.status, reply.text, reply.headers.etag], [304, '', etag])
      })

      it(`shows ${of} that has changed`, async () => {
        await using world = await openWorld(engine)
        const at = path(await world.given(given))
        const { etag } = (await world.api.get(at)).headers
        await world.api.patch(at, change(1))

        const reply = await world.api.get(at, { 'if-none-match': etag as string })

        assert.equal(reply.status, 200)
        assert.notEqual(reply.headers.etag, etag)
        assert.equal(reply.body.version, reply.headers.etag)
      })
    }

    for (const value of ['"1"', '1', '*', '"9", "1"', 'W/"1"', 'W/"9",W/"1"']) {
      it(`knows version 1 when it says ${value}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        assert.equal((await world.api.get(`/tasks/${task.id}`, { 'if-none-match': value })).status, 304)
      })
    }

    for (const value of ['"2"', '"9", "8"', '""', 'W/"2"']) {
      it(`does not know version 1 when it says ${value}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        assert.equal((await world.api.get(`/tasks/${task.id}`, { 'if-none-match': value })).status, 200)
      })
    }

    for (const value of MALFORMED) {
      it(`is refused when it says ${value === '' ? 'nothing' : value}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const reply = await world.api.get(`/tasks/${task.id}`, { 'if-none-match': value })

        assertInvalid(reply, ['header', 'If-None-Match', 'invalid_format'])
      })
    }

    it('spares HEAD as it spares GET', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())

      const reply = await world.api.send('HEAD', `/tasks/${task.id}`, { headers: { 'if-none-match': task.version } })

      assert.equal(reply.status, 304)
    })

    it('does not hide that a resource is not there', async () => {
      await using world = await openWorld(engine)

      assertProblem(await world.api.get(`/tasks/${UNKNOWN_ID}`, { 'if-none-match': '*' }), 404, 'not_found')
    })
  })
}
