import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { aWorkflow, type Resource } from './builders.ts'
import { putTasks } from './bulk.ts'
import { isBeingWritten } from './database.ts'
import { pageOf, taskNow } from './reading.ts'
import { ENGINES, openWorld, type World } from './world.ts'

/** A Workflow with `count` tasks on it. */
async function withTasks(world: World, count: number): Promise<Resource> {
  const workflow = await world.given(aWorkflow())
  await putTasks(world, count, { workflow })
  return workflow
}

async function addTodayStatus({ api }: World, { id }: Resource): Promise<void> {
  const reply = await api.post(`/workflows/${id}/statuses`, { name: 'Proofread', disposition: 'in_progress' })
  assert.equal(reply.status, 201, reply.text)
}

for (const engine of ENGINES) {
  describe(`a Today Status more for very many tasks (${engine})`, () => {
    it('changes each of them', async () => {
      await using world = await openWorld(engine)
      const workflow = await withTasks(world, 1_201)
      const events = (await world.events()).length

      await addTodayStatus(world, workflow)

      const changed = (await world.events()).slice(events).filter(({ type }) => type === 'task.updated')
      assert.equal(changed.length, 1_201)
      assert.equal(new Set(changed.map(({ data }) => (data as Resource).id)).size, 1_201)
      const [first] = (await pageOf(world.api, '/tasks?limit=1')).data
      assert.partialDeepStrictEqual(await taskNow(world.api, first), { steps_total: 4, version: '"2"' })
    })

    it('keeps nobody waiting who does not write', async () => {
      await using world = await openWorld(engine)
      const workflow = await withTasks(world, 8_000)
      await world.anonymous.get('//healthz')

      let isAnswered = false
      const added = addTodayStatus(world, workflow).then(() => {
        isAnswered = true
      })
      while (!isAnswered && !(await isBeingWritten(world))) await nextTurnOfTheLoop()
      const probe = await world.anonymous.get('//healthz')
      const wasAnswered = isAnswered
      await added

      assert.equal(probe.status, 200)
      assert.equal(wasAnswered, false)
    })

    it('is seen by a reader whole or not at all', async () => {
      await using world = await openWorld(engine)
      const workflow = await withTasks(world, 4_000)
      const read = async () =>
        (await pageOf(world.api, `/tasks?limit=100&workflow_id=${workflow.id}`)).data.map(({ steps_total }) => steps_total)

      let isAnswered = false
      const added = addTodayStatus(world, workflow).then(() => {
        isAnswered = true
      })
      const seen: number[][] = []
      while (!isAnswered) seen.push(await read())
      await added

      for (const totals of seen) assert.equal(new Set(totals).size, 1)
      assert.deepEqual(new Set(await read()), new Set([4]))
    })
  })
}
