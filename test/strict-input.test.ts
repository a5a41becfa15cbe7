import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aTask, aWorkflow, type Resource, UNKNOWN_ID } from './builders.ts'
import { assertInvalid, ENGINES, openWorld, type World } from './world.ts'

/** Each request with a body, valid but for what a test adds. */
const REQUESTS: Record<string, { prepare(world: World): Promise<string>; method: 'POST' | 'PATCH'; body: Resource }> = {
  CreateTask: { prepare: async () => '/tasks', method: 'POST', body: { title: 'One' } },
  UpdateTask: { prepare: async (world) => `/tasks/${(await world.given(aTask())).id}`, method: 'PATCH', body: {} },
  Later: { prepare: async (world) => `/tasks/${(await world.given(aTask())).id}/later`, method: 'POST', body: {} },
  CreateStep: { prepare: async (world) => `/tasks/${(await world.given(aTask())).id}/steps`, method: 'POST', body: { name: 'One' } },
  UpdateStep: {
    prepare: async (world) => {
      const task = await world.given(aTask())
      return `/tasks/${task.id}/steps/${(await world.api.post(`/tasks/${task.id}/steps`, { name: 'One' })).body.id}`
    },
    method: 'PATCH',
    body: {},
  },
  CreateProject: { prepare: async () => '/projects', method: 'POST', body: { name: 'One' } },
  UpdateProject: { prepare: async (world) => `/projects/${(await world.given(aProject())).id}`, method: 'PATCH', body: {} },
  CreateWorkflow: { prepare: async () => '/workflows', method: 'POST', body: { name: 'One' } },
  UpdateWorkflow: { prepare: async (world) => `/workflows/${(await world.given(aWorkflow())).id}`, method: 'PATCH', body: {} },
  CreateStatus: {
    prepare: async (world) => `/workflows/${(await world.given(aWorkflow())).id}/statuses`,
    method: 'POST',
    body: { name: 'One', disposition: 'waiting' },
  },
  UpdateStatus: {
    prepare: async (world) => {
      const workflow = await world.given(aWorkflow())
      return `/workflows/${workflow.id}/statuses/${workflow.statuses[0].id}`
    },
    method: 'PATCH',
    body: {},
  },
}

/** Sends the request named `kind` with `fields` in its body; `events` counts what it recorded. */
async function ask(world: World, kind: string, fields: object) {
  const { prepare, method, body } = REQUESTS[kind] as (typeof REQUESTS)[string]
  const path = await prepare(world)
  const before = (await world.events()).length
  const reply = await world.api.send(method, path, { body: { ...body, ...fields } })
  return { reply, events: (await world.events()).length - before }
}

/** The fields of text, by what they may hold. */
const LINES = [
  'CreateTask.title',
  'UpdateTask.title',
  'CreateStep.name',
  'UpdateStep.name',
  'CreateProject.name',
  'UpdateProject.name',
].concat(['CreateWorkflow.name', 'UpdateWorkflow.name', 'CreateStatus.name', 'UpdateStatus.name'])
const TEXTS = ['CreateTask.notes', 'UpdateTask.notes', 'CreateProject.description', 'UpdateProject.description'].concat([
  'CreateWorkflow.description',
  'UpdateWorkflow.description',
])

const UNFIT: [what: string, text: string][] = [
  ['NUL', 'a\0b'],
  ['a bell', 'a\u0007b'],
  ['an escape', 'a\u001b[31mb'],
  ['a delete', 'a\u007fb'],
  ['a control character beyond ASCII', 'a\u0085b'],
  ['the first half of a surrogate pair', 'a\ud800b'],
  ['the second half of a surrogate pair', 'a\udc00b'],
  ['surrogates in the wrong order', 'a\udc00\ud800b'],
]

const NOT_NULL = [
  ...LINES,
  ...['UpdateTask.disposition', 'CreateStatus.disposition', 'UpdateStatus.disposition'],
  ...['UpdateStep.completed', 'UpdateStep.minutes', 'UpdateStep.position', 'UpdateProject.archived', 'UpdateProject.position'],
  ...['UpdateWorkflow.position', 'UpdateStatus.position'],
]

const WRONG: [field: string, value: unknown, code: string][] = [
  ['CreateTask.title', 7, 'invalid_type'],
  ['CreateTask.title', true, 'invalid_type'],
  ['CreateTask.title', ['One'], 'invalid_type'],
  ['CreateTask.title', { toString: 'One' }, 'invalid_type'],
  ['CreateTask.notes', 7, 'invalid_type'],
  ['CreateTask.disposition', 'DONE', 'invalid_value'],
  ['CreateTask.disposition', '', 'invalid_value'],
  ['CreateTask.disposition', 'constructor', 'invalid_value'],
  ['CreateTask.project_id', '', 'invalid_format'],
  ['CreateTask.project_id', 7, 'invalid_type'],
  ['CreateTask.workflow_id', `${UNKNOWN_ID}\u0000`, 'invalid_format'],
  ['CreateTask.status_id', [UNKNOWN_ID], 'invalid_type'],
  ['CreateTask.due_date', '2026-02-29', 'invalid_format'],
  ['CreateTask.due_date', '2026-12-01T00:00:00Z', 'invalid_format'],
  ['CreateTask.due_date', 20_261_201, 'invalid_type'],
  ['CreateTask.on_hold_until', '2026-12-01T08:00:00', 'invalid_format'],
  ['CreateTask.on_hold_until', '2026-12-01T24:00:00Z', 'invalid_format'],
  ['CreateTask.on_hold_until', 1_800_000_000, 'invalid_type'],
  ['CreateTask.estimate_minutes', '5', 'invalid_type'],
  ['CreateTask.estimate_minutes', 1.5, 'invalid_type'],
  ['CreateTask.estimate_minutes', -1, 'out_of_range'],
  ['CreateTask.estimate_minutes', 525_601, 'out_of_range'],
  ['CreateTask.estimate_minutes', Number.MAX_SAFE_INTEGER + 2, 'out_of_range'],
  ['CreateTask.estimate_minutes', 1e300, 'out_of_range'],
  ['Later.until', 'tomorrow', 'invalid_format'],
  ['Later.until', 5, 'invalid_type'],
  ['CreateStep.minutes', '5', 'invalid_type'],
  ['CreateStep.minutes', -1, 'out_of_range'],
  ['CreateStep.completed', 'true', 'invalid_type'],
  ['UpdateStep.completed', 1, 'invalid_type'],
  ['UpdateStep.minutes', true, 'invalid_type'],
  ['UpdateStep.position', '1', 'invalid_type'],
  ['UpdateProject.archived', 'true', 'invalid_type'],
  ['UpdateProject.position', '1', 'invalid_type'],
  ['CreateWorkflow.emoji', 'ab', 'invalid_format'],
  ['CreateWorkflow.statuses', {}, 'invalid_type'],
  ['CreateWorkflow.statuses', '[]', 'invalid_type'],
  ['CreateStatus.disposition', 'not_started', 'invalid_value'],
  ['UpdateStatus.disposition', 'not_started', 'invalid_value'],
]

/** Fields that the service sets and no body does. */
const READ_ONLY: Record<string, string[]> = {
  CreateTask: ['id', 'object', 'archived', 'completed_at', 'created_at', 'version', 'steps_total'],
  UpdateTask: ['id', 'object', 'archived', 'archived_at', 'completed_at', 'updated_at', 'version'],
  CreateStep: ['id', 'kind', 'position', 'status_id', 'task_id'],
  UpdateStep: ['id', 'kind', 'status_id', 'completed_at'],
  CreateProject: ['id', 'archived', 'position', 'version'],
  UpdateProject: ['id', 'created_at', 'version'],
  CreateWorkflow: ['id', 'position', 'version'],
  UpdateWorkflow: ['id', 'statuses', 'version'],
  CreateStatus: ['id', 'position', 'workflow_id'],
  UpdateStatus: ['id', 'workflow_id', 'version'],
}

const split = (place: string) => place.split('.') as [kind: string, field: string]

for (const engine of ENGINES) {
  describe(`fields of bodies (${engine})`, () => {
    for (const kind of Object.keys(REQUESTS)) {
      it(`of ${kind} are refused when they are unknown, whatever they are called`, async () => {
        await using world = await openWorld(engine)

        for (const name of ['surprise', 'constructor', 'toString', 'hasOwnProperty', '', ' ', '\u0000', '\ud800', 'title ']) {
          const { reply, events } = await ask(world, kind, { [name]: 1 })

          assertInvalid(reply, ['body', name, 'unknown'])
          assert.equal(events, 0)
        }
      })

      it(`of ${kind} are refused when one is called __proto__`, async () => {
        await using world = await openWorld(engine)
        const { prepare, method, body } = REQUESTS[kind] as (typeof REQUESTS)[string]
        const path = await prepare(world)
        const raw = JSON.stringify({ ...body, proto: { title: 'x', name: 'x', isAdmin: true } }).replace('"proto"', '"__proto__"')

        assertInvalid(await world.api.send(method, path, { raw }), ['body', '__proto__', 'unknown'])
        assert.equal(({} as Record<string, unknown>).isAdmin, undefined)
      })
    }

    it('do not take what is required out of __proto__', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.send('POST', '/tasks', { raw: '{"__proto__":{"title":"One"}}' })

      assertInvalid(reply, ['body', '__proto__', 'unknown'], ['body', 'title', 'required'])
    })

    for (const [wrong, right] of [
      ['tilte', 'title'],
      ['due_dat', 'due_date'],
      ['dueDate', 'due_date'],
      ['Title', 'title'],
      ['projectid', 'project_id'],
    ]) {
      it(`are asked about: did you mean ${right} by ${wrong}?`, async () => {
        await using world = await openWorld(engine)

        const [error] = assertInvalid(await world.api.post('/tasks', { title: 'One', [wrong as string]: null }), [
          'body',
          wrong as string,
          'unknown',
        ])

        assert.match(error?.detail as string, new RegExp(`Did you mean ${right}\\?`))
      })
    }

    it('are not asked about when none is close', async () => {
      await using world = await openWorld(engine)

      const [error] = assertInvalid(await world.api.post('/tasks', { title: 'One', colour_of_label: 'red' }), [
        'body',
        'colour_of_label',
        'unknown',
      ])

      assert.ok(!error?.detail.includes('Did you mean'))
    })

    for (const [kind, fields] of Object.entries(READ_ONLY)) {
      it(`of ${kind} are not ${fields.join(', ')}`, async () => {
        await using world = await openWorld(engine)

        const { reply, events } = await ask(world, kind, Object.fromEntries(fields.map((field) => [field, null])))

        assertInvalid(reply, ...fields.map((field): [string, string, string] => ['body', field, 'unknown']))
        assert.equal(events, 0)
      })
    }

    for (const place of [...LINES, ...TEXTS]) {
      const [kind, field] = split(place)

      it(`refuse control characters and broken characters in ${place}`, async () => {
        await using world = await openWorld(engine)

        for (const [what, text] of UNFIT) {
          const { reply, events } = await ask(world, kind, { [field]: text })

          const [error] = assertInvalid(reply, ['body', field, 'malformed'])
          assert.ok(error?.detail.startsWith(field), what)
          assert.equal(events, 0)
        }
      })
    }

    for (const place of LINES) {
      const [kind, field] = split(place)

      it(`refuse line ends and tabs in ${place}`, async () => {
        await using world = await openWorld(engine)

        for (const text of ['a\nb', 'a\r\nb', 'a\tb']) {
          assertInvalid((await ask(world, kind, { [field]: text })).reply, ['body', field, 'malformed'])
        }
      })
    }

    for (const place of NOT_NULL) {
      const [kind, field] = split(place)

      it(`refuse null for ${place}`, async () => {
        await using world = await openWorld(engine)

        const { reply, events } = await ask(world, kind, { [field]: null })

        assertInvalid(reply, ['body', field, 'invalid_type'])
        assert.equal(events, 0)
      })
    }

    for (const [place, value, code] of WRONG) {
      const [kind, field] = split(place)

      it(`refuse ${JSON.stringify(value)} for ${place}: ${code}`, async () => {
        await using world = await openWorld(engine)

        const { reply, events } = await ask(world, kind, { [field]: value })

        assertInvalid(reply, ['body', field, code])
        assert.equal(events, 0)
      })
    }

    for (const [kind, field] of [
      split('CreateTask.estimate_minutes'),
      split('UpdateProject.position'),
      split('UpdateStep.position'),
      split('UpdateStatus.position'),
    ]) {
      for (const number of ['1e999', '-1e999']) {
        it(`refuse ${number} for ${kind}.${field}`, async () => {
          await using world = await openWorld(engine)
          const { prepare, method, body } = REQUESTS[kind] as (typeof REQUESTS)[string]
          const path = await prepare(world)
          const raw = JSON.stringify({ ...body, [field]: 'NUMBER' }).replace('"NUMBER"', number)

          assertInvalid(await world.api.send(method, path, { raw }), ['body', field, 'invalid_type'])
        })
      }
    }

    it('take a whole number that is written with a fraction of 0', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.send('POST', '/tasks', { raw: '{"title":"One","estimate_minutes":5.0}' })

      assert.deepEqual([reply.status, reply.body.estimate_minutes], [201, 5])
    })
  })
}
