import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aStep, aTask, aWorkflow, type Resource, statusOf, statusPath } from './builders.ts'
import { pageOf } from './reading.ts'
import { ENGINES, HOUR, MINUTE, openWorld, type World } from './world.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The members of an event, in the contract's order. */
const MEMBERS = ['object', 'id', 'sequence', 'type', 'occurred_at', 'cause', 'actor', 'request_id', 'data', 'previous']

const feed = async (world: World, query = 'limit=100'): Promise<Resource[]> => (await pageOf(world.api, `/events?${query}`)).data

for (const engine of ENGINES) {
  describe(`the feed of events (${engine})`, () => {
    it('is a list with how far the log reaches', async () => {
      await using world = await openWorld(engine)
      const empty = await world.api.get('/events')
      await world.given(aTask())

      const { body, headers } = await world.api.get('/events')

      assert.deepEqual(empty.body, { object: 'list', data: [], has_more: false, next_cursor: null, latest_sequence: 0 })
      assert.deepEqual({ ...body, data: body.data.length }, { ...empty.body, data: 1, latest_sequence: 1 })
      assert.equal(headers['content-type'], (await world.api.get('/tasks')).headers['content-type'])
    })

    it('shows of an event what the contract says, and nothing else', async () => {
      await using world = await openWorld(engine)
      const made = await world.api.post('/tasks', { title: 'Écrire “it” ✍️', notes: 'a\nb\t"c"' })

      const [event] = await feed(world)

      assert.deepEqual(Object.keys(event), MEMBERS)
      assert.match(event.id, UUID_V7)
      assert.deepEqual(event, {
        object: 'event',
        id: event.id,
        sequence: 1,
        type: 'task.created',
        occurred_at: world.now,
        cause: 'api',
        actor: { token_id: (await world.api.get('/me')).body.token.id },
        request_id: made.headers['x-request-id'],
        data: made.body,
        previous: {},
      })
    })

    it('shows each resource as its own lists do, also one that changed without being asked to', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask({ project_id: project.id, status_id: statusOf(workflow, 'Review').id }))
      await world.api.patch(statusPath(workflow, 'Draft'), { disposition: 'waiting' })
      await world.api.patch(`/projects/${project.id}`, { archived: true })

      const last = new Map((await feed(world)).map(({ data }) => [data.id, data]))

      const lists = ['/tasks', '/projects?include_archived=true', '/workflows', `/workflows/${workflow.id}/statuses`]
      const shown = (await Promise.all(lists.map((path) => pageOf(world.api, path)))).flatMap(({ data }) => data)
      assert.equal(shown.length, last.size)
      for (const resource of shown) assert.deepEqual(last.get(resource.id), resource)
      assert.equal(last.get(task.id).steps_total, 2)
    })

    it('shows what was deleted in its last state, with nothing in previous', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ notes: 'All of it' }))
      await world.given(aStep(task, { minutes: 5 }))
      const last = (await world.api.get(`/tasks/${task.id}`)).body
      await world.api.delete(`/tasks/${task.id}`)

      const deleted = (await feed(world)).at(-1)

      assert.deepEqual([deleted.type, deleted.data, deleted.previous], ['task.deleted', last, {}])
    })

    it('shows the former values of what changed, null where there was none', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ due_date: '2026-12-01' }))
      world.advance(MINUTE)
      await world.api.patch(`/tasks/${task.id}`, { due_date: null, notes: 'All of it' })

      const [, changed] = await feed(world)

      const { updated_at, version } = task
      assert.deepEqual(changed.previous, { notes: null, due_date: '2026-12-01', updated_at, version })
    })

    it('tells a request, what followed from it, and a timer apart, and whose request it was', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask({ status_id: statusOf(workflow, 'Review').id }))
      await world.api.post(`/tasks/${task.id}/later`, { until: world.later(HOUR) })
      world.advance(HOUR)
      await world.service.timers.wake()
      const other = await world.clientWith(['workflows:write'])
      const gone = await other.delete(statusPath(workflow, 'Review'))
      const tokenId = (await other.get('/me')).body.token.id

      const events = await feed(world)

      const { sequence: woke } = events.find(({ type }) => type === 'task.woke')
      const told = events.slice(woke - 1).map(({ type, cause, actor, request_id }) => ({ type, cause, actor, request_id }))
      const by = { actor: { token_id: tokenId }, request_id: gone.headers['x-request-id'] }
      assert.deepEqual(told[0], { type: 'task.woke', cause: 'timer', actor: null, request_id: null })
      assert.deepEqual(
        told.slice(1).sort((a, b) => (a.type < b.type ? -1 : 1)),
        [
          { type: 'status.deleted', cause: 'api', ...by },
          { type: 'task.updated', cause: 'cascade', ...by },
          { type: 'workflow.updated', cause: 'cascade', ...by },
        ],
      )
    })

    it('counts on and keeps its order when the clock is set back', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      world.advance(-HOUR)
      await world.api.patch(`/tasks/${task.id}`, { title: 'Back' })
      world.advance(2 * HOUR)
      await world.api.patch(`/tasks/${task.id}`, { title: 'Forth' })

      const events = await feed(world)

      assert.deepEqual(
        events.map(({ sequence, occurred_at }) => [sequence, occurred_at]),
        [
          [1, task.created_at],
          [2, task.created_at],
          [3, world.now],
        ],
      )
      assert.deepEqual(await feed(world, 'after=1'), events.slice(1))
    })

    it('shows nothing of other accounts, each of which counts for itself', async () => {
      await using world = await openWorld(engine)
      const { api: stranger } = await world.newAccount()
      await world.given(aTask())
      await world.given(aTask())

      const before = (await stranger.get('/events')).body
      const theirs = await aTask()(stranger)
      const after = (await stranger.get('/events')).body

      assert.deepEqual([before.data, before.latest_sequence], [[], 0])
      assert.deepEqual([after.data.map(({ data }: Resource) => data), after.latest_sequence], [[theirs], 1])
    })

    it('has the same bytes for an event as the stream', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask({ title: 'Écrire “it” \u2028 ✍️', notes: 'a\nb\t"c"' }))
      const workflow = await world.given(aWorkflow())
      await world.api.delete(`/workflows/${workflow.id}`)
      const { text: page } = await world.api.get('/events?limit=100')
      const abort = new AbortController()
      const stream = await fetch(`${world.service.url}/v1/events/stream?after=0`, {
        headers: { authorization: `Bearer ${world.api.token}` },
        signal: abort.signal,
      })

      let told = ''
      const { latest_sequence } = JSON.parse(page)
      for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        told += chunk
        if (told.endsWith('\n\n') && told.includes(`\nid: ${latest_sequence}\n`)) break
      }

      const lines = told.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []))
      assert.equal(
        page,
        `{"object":"list","data":[${lines.join(',')}],"has_more":false,"next_cursor":null,"latest_sequence":${lines.length}}`,
      )
    })

    it('answers a HEAD as a GET, without a body', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())

      for (const path of ['/events', '/events?types=nothing', '/events?after=7']) {
        const [get, head] = [await world.api.get(path), await world.api.send('HEAD', path)]
        assert.deepEqual([head.status, head.text], [get.status, ''], path)
        for (const name of ['content-type', 'content-length']) assert.equal(head.headers[name], get.headers[name], `${path} ${name}`)
      }
    })

    it('is no write: it changes nothing and counts for no day', async () => {
      await using world = await openWorld(engine)
      await world.given(aTask())
      const before = await world.events()

      const { headers } = await world.api.get('/events')

      assert.deepEqual(await world.events(), before)
      assert.equal(headers['ratelimit-limit'], '3000')
      assert.equal(headers.etag, undefined)
    })
  })
}
