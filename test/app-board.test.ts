import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { aProject, aTask, aWorkflow, type Resource } from './builders.ts'
import { putTasks } from './bulk.ts'
import { openSource } from './event-source.ts'
import type { SignedUp } from './visitor.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld, type World } from './world.ts'

async function boardOf(ada: SignedUp): Promise<Resource> {
  const reply = await ada.get('/board')
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

const accountOf = ({ person }: SignedUp) => ({ id: person.id, email: person.email })

/** Counts the reads of the world's store from now on. */
function countReads(world: World): () => number {
  const { store } = world.service
  const { all } = store
  let reads = 0
  store.all = (sql, values) => {
    reads += 1
    return all(sql, values)
  }
  return () => reads
}

for (const engine of ENGINES) {
  describe(`the board (${engine})`, () => {
    it('is all that the five tabs are made of', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const workflow = await aWorkflow()(ada)
      const [project, hidden] = [await aProject()(ada), await aProject()(ada)]
      await ada.patch(`/projects/${hidden.id}`, { archived: true, position: 0 })
      const label = (await ada.patch('/dispositions/waiting', { label: 'Elsewhere' })).body
      const open = [
        await aTask({ project_id: project.id })(ada),
        await aTask({ disposition: 'waiting' })(ada),
        await aTask({ status_id: workflow.statuses[0].id })(ada),
        await aTask({ disposition: 'on_hold' })(ada),
        await aTask({ disposition: 'waiting' })(ada),
      ]
      await aTask({ disposition: 'done' })(ada)
      const archived = [await aTask()(ada), await aTask({ disposition: 'done' })(ada)]
      for (const { id } of archived) await ada.post(`/tasks/${id}/archive`)

      const board = await boardOf(ada)

      const { dispositions, projects, workflows, tasks, ...rest } = board
      assert.deepEqual(rest, {
        object: 'board',
        latest_sequence: (await ada.get('/events')).body.latest_sequence,
        has_more: false,
        done_total: 1,
      })
      assert.deepEqual([dispositions.length, dispositions[2]], [5, label])
      assert.deepEqual(
        projects.map(({ id, archived }: Resource) => [id, archived]),
        [
          [hidden.id, true],
          [project.id, false],
        ],
      )
      assert.deepEqual(workflows, [workflow])
      assert.deepEqual(tasks, open)
    })

    it('is empty for a person who has nothing', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await world.given(aTask())

      const { projects, workflows, tasks, latest_sequence, done_total } = await boardOf(ada)

      assert.deepEqual([projects, workflows, tasks, latest_sequence, done_total], [[], [], [], 0, 0])
    })

    it('has everything, however many pages that is, in order and once', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await putTasks(world, 437, { of: accountOf(ada) })
      const last = await aTask({ disposition: 'in_progress' })(ada)
      await Promise.all(Array.from({ length: 205 }, () => aProject()(ada)))
      await Promise.all(Array.from({ length: 101 }, () => aWorkflow({ statuses: [{ name: 'Draft', disposition: 'in_progress' }] })(ada)))

      const { tasks, projects, workflows, has_more } = await boardOf(ada)

      const ids = tasks.map(({ id }: Resource) => id)
      assert.deepEqual([ids.length, new Set(ids).size, ids.at(-1)], [438, 438, last.id])
      assert.deepEqual(ids, ids.toSorted())
      assert.deepEqual(
        projects.map(({ position }: Resource) => position),
        Array.from({ length: 205 }, (_, index) => index + 1),
      )
      assert.deepEqual([workflows.length, new Set(workflows.map(({ statuses }: Resource) => statuses[0].id)).size], [101, 101])
      assert.equal(has_more, false)
    })

    it('has 10,000 tasks at the most, and says that there are more', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await putTasks(world, 10_000, { of: accountOf(ada), title: 'x' })

      const whole = await boardOf(ada)
      const last = await aTask({ disposition: 'waiting' })(ada)
      const cut = await boardOf(ada)

      assert.deepEqual([whole.tasks.length, whole.has_more], [10_000, false])
      assert.deepEqual([cut.tasks.length, cut.has_more], [10_000, true])
      assert.ok(!cut.tasks.some(({ id }: Resource) => id === last.id))
    })

    it('and the events after it are all that there is: what happens while it is read is told by them', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      const task = await aTask()(ada)
      const { store } = world.service
      const { all } = store
      // It happens after the first read, which has to be that of the sequence.
      store.all = async (sql, values) => {
        store.all = all
        await ada.patch(`/tasks/${task.id}`, { title: 'Changed meanwhile' })
        return all(sql, values)
      }

      const board = await boardOf(ada)

      const headers = { cookie: ada.cookie as string }
      using source = await openSource(world.service.url, null, { base: '/app', query: `?after=${board.latest_sequence}`, headers })
      const [event] = await source.events(1)
      assert.deepEqual([event.type, event.data.title], ['task.updated', 'Changed meanwhile'])
    })

    it('is packed for whoever takes gzip, and for nobody else', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await putTasks(world, 250, { of: accountOf(ada), notes: 'A note. '.repeat(100) })
      const plain = await ada.get('/board')
      const encodingOf = async (accept: string) =>
        (await ada.send('HEAD', '/board', { headers: { 'accept-encoding': accept } })).headers['content-encoding']

      const packed = await fetch(`${world.service.url}/app/board`, {
        headers: { cookie: ada.cookie as string, 'accept-encoding': 'br, gzip' },
      })

      assert.deepEqual([packed.headers.get('content-encoding'), packed.headers.get('vary')], ['gzip', 'Accept-Encoding'])
      assert.deepEqual(await packed.json(), plain.body)
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.equal(plain.headers['content-type'], 'application/json; charset=utf-8')
      for (const accept of ['br', 'gzip;q=0', 'gzip; q=0.000, br', 'x-gzip', '']) assert.equal(await encodingOf(accept), undefined, accept)
      for (const accept of ['GZIP', 'deflate , gzip;q=0.5']) assert.equal(await encodingOf(accept), 'gzip', accept)
    })

    it('is read as fast as it is taken: a reader that stops, and then goes, leaves nothing behind', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await putTasks(world, 2_000, { of: accountOf(ada), notes: 'x'.repeat(20_000) })
      const reads = countReads(world)
      const outgoing = request(`${world.service.url}/app/board`, { headers: { cookie: ada.cookie as string } }).end()
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      outgoing.on('error', () => {})
      const others = async () => {
        for (let times = 0; times < 100; times += 1) await world.anonymous.get('//healthz')
      }

      await others()
      const taken = reads()
      incoming.destroy()
      await others()

      // All of it would be 20 pages and more.
      assert.ok(taken < 15, `${taken} reads`)
      assert.ok(reads() <= taken + 2, `${reads()} reads after ${taken}`)
    })

    it('is given up for a reader that takes nothing for 30 s', async (test) => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await putTasks(world, 2_000, { of: accountOf(ada), notes: 'x'.repeat(20_000) })
      test.mock.timers.enable({ apis: ['setInterval'] })
      const outgoing = request(`${world.service.url}/app/board`, { headers: { cookie: ada.cookie as string } }).end()
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      for (let times = 0; times < 100; times += 1) await world.anonymous.get('//healthz')

      // The first time it looks, something was taken since the beginning.
      test.mock.timers.tick(30_000)
      test.mock.timers.tick(30_000)

      await assert.rejects(textOf(incoming), { code: 'ECONNRESET' })
    })

    it('fails as a whole before anything of it was sent', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      world.service.store.snapshot = () => Promise.reject(new Error('no database'))

      const reply = await ada.get('/board', { 'accept-encoding': 'gzip' })

      assertProblem(reply, 500, 'internal_error')
      assert.equal(reply.headers['content-encoding'], undefined)
    })

    it('takes no parameters', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      assertInvalid(await ada.get('/board?limit=1'), ['query', 'limit', 'unknown'])
    })
  })
}
