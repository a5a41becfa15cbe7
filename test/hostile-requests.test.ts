import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { aProject, aStep, aTask, aWorkflow, type Resource } from './builders.ts'
import { type Operation, operationsOf } from './operations.ts'
import { aWebhook } from './receiver.ts'
import { ENGINES, openWorld, type World } from './world.ts'

/** Whatever is sent, the answer is one that the contract has. */

const STATUSES = [200, 201, 202, 204, 304, 400, 404, 412]

const FIELDS = [
  'title',
  'name',
  'notes',
  'description',
  'disposition',
  'status_id',
  'workflow_id',
  'project_id',
  'due_date',
  'on_hold_until',
].concat(['estimate_minutes', 'until', 'minutes', 'completed', 'archived', 'position', 'emoji', 'statuses', '__proto__', 'constructor'])
const PARAMETERS = [
  'limit',
  'cursor',
  'disposition',
  'project_id',
  'updated_since',
  'include_archived',
  'q',
  'sort',
  'due_before',
  '__proto__',
]
const WORDS = [
  '',
  'One',
  'in_progress',
  'on_hold',
  'done',
  'waiting',
  '2026-12-01',
  '2026-12-01T08:00:00Z',
  '9999-12-31T23:59:59.999Z',
  'true',
  '\0',
  '🎈',
].concat(["'; drop table tasks; --", '%', '_', '\\', 'a\ud800'])
const NUMBERS = [0, 1, -1, 1.5, 525_600, 1e15, 2 ** 53, 1e308, 5e-324, -1e308]

/** Bodies that are right for one operation or another. */
const VALID = [{}, { title: 'One' }, { name: 'One' }, { name: 'One', disposition: 'waiting' }, { disposition: 'in_progress' }]

/** Requests to the operations of the document, their parts partly right and mostly wrong. `ids` are of things that are there. */
function requests(operations: readonly Operation[], ids: readonly string[]) {
  const value = fc.oneof(
    fc.constantFrom(...ids, ...WORDS),
    fc.constantFrom(...NUMBERS),
    fc.constantFrom(true, false, null, [], {}),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.array(fc.record({ name: fc.constantFrom(...WORDS), disposition: fc.constantFrom(...WORDS) }), { maxLength: 3 }),
  )
  const text = fc.oneof(fc.constantFrom(...ids, ...WORDS), fc.string({ unit: 'grapheme', maxLength: 20 }))
  return fc.record({
    operation: fc.constantFrom(...operations),
    which: fc.nat(5),
    body: fc
      .tuple(fc.constantFrom(...VALID), fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 2 }))
      .map(([valid, fields]) => ({ ...valid, ...fields })),
    query: fc.array(fc.tuple(fc.constantFrom(...PARAMETERS), text), { maxLength: 1 }),
    tag: fc.option(fc.constantFrom('*', '"1"', '2', 'W/"1"', '"', ',', 'x'.repeat(3_000)), { nil: undefined }),
    key: fc.option(fc.constantFrom('k', 'k'.repeat(255), 'k'.repeat(256), '~'), { nil: undefined }),
  })
}

/** Ids of things that are there, by the parameter (and the first word of the path) that they are right for. */
async function idsOfEverything(world: World): Promise<Record<string, string[]>> {
  const task = await world.given(aTask())
  const step = await world.given(aStep(task))
  const onWorkflow = await world.given(aTask({ onStatus: 'Draft' }))
  const project = await world.given(aProject())
  const workflow = await world.given(aWorkflow())
  const webhook = await world.given(aWebhook({ url: 'https://192.88.100.1/hook' }))
  const delivery = (await world.api.post(`/webhooks/${webhook.id}/test`)).body
  const statuses: string[] = workflow.statuses.map((status: Resource) => status.id)
  return {
    tasks: [task.id, onWorkflow.id],
    projects: [project.id],
    workflows: [workflow.id, onWorkflow.workflow_id],
    step_id: [step.id, onWorkflow.status_id],
    status_id: statuses,
    webhooks: [webhook.id],
    delivery_id: [delivery.id],
  }
}

/** The path with ids of the right kinds; `which` chooses among them. */
function fill(path: string, ids: Record<string, string[]>, which: number): string {
  const kind = path.split('/')[1] as string
  return path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const fitting = ids[parameter === 'id' ? kind : parameter] as string[]
    return fitting[which % fitting.length] as string
  })
}

for (const engine of ENGINES) {
  describe(`hostile requests (${engine})`, () => {
    it('are answered as the contract says, with no fault and nothing of the inside', async () => {
      await using world = await openWorld(engine)
      const ids = await idsOfEverything(world)
      // A DELETE would leave nothing to ask about, and a stream has no end.
      const operations = (await operationsOf(world)).filter(({ method, path }) => method !== 'DELETE' && path !== '/events/stream')
      const anyRequest = requests(operations, Object.values(ids).flat())

      await fc.assert(
        fc.asyncProperty(anyRequest, async ({ operation: { method, path }, which, body, query, tag, key }) => {
          const search = query.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join('&')
          const headers = { ...(tag && { 'if-match': tag, 'if-none-match': tag }), ...(key && { 'idempotency-key': key }) }

          const reply = await world.api.send(method, `${fill(path, ids, which)}?${search}`, { headers, ...(method !== 'GET' && { body }) })

          assert.ok(STATUSES.includes(reply.status), reply.text)
          assert.ok(!/\.[jt]s:\d|node_modules|sqlite/i.test(reply.text), reply.text)
          if (reply.status === 400) assert.ok(reply.body.errors.length > 0)
        }),
        { numRuns: 600 },
      )

      assert.deepEqual(
        world.logged.filter((line) => Number(line.level) >= 50),
        [],
      )
    })
  })
}
