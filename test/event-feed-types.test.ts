import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_PATTERNS, EVENT_TYPES, typesOf } from '@fivetab/domain/event.ts'
import { SCOPE_NAMES, type Scope } from '@fivetab/domain/scope.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { aProject, aTask, aWorkflow, type Resource, statusOf, statusPath } from './builders.ts'
import { pageOf } from './reading.ts'
import { aWebhook, openReceiver, REACHABLE } from './receiver.ts'
import { assertInvalid, assertProblem, ENGINES, type EngineName, HOUR, openWorld, type World } from './world.ts'

const feed = async (world: World, query = 'limit=100'): Promise<Resource[]> => (await pageOf(world.api, `/events?${query}`)).data

/** A world in whose first account every type of event has happened. */
async function aFullWorld(engine: EngineName): Promise<World> {
  const world = await openWorld(engine, { environment: REACHABLE })
  const { api } = world
  const workflow = await world.given(aWorkflow())
  const project = await world.given(aProject())
  const task = await world.given(aTask({ project_id: project.id, status_id: statusOf(workflow, 'Review').id }))
  await api.patch(`/projects/${project.id}`, { name: 'Move' })
  await api.patch(`/workflows/${workflow.id}`, { emoji: '🚀' })
  await api.patch(statusPath(workflow, 'Review'), { name: 'Proofread' })
  await api.post(`/tasks/${task.id}/later`, { until: world.later(HOUR) })
  world.advance(HOUR)
  await world.service.timers.wake()
  for (const action of ['complete', 'archive', 'unarchive']) await api.post(`/tasks/${task.id}/${action}`)
  await api.delete(`/projects/${project.id}`)
  await using receiver = await openReceiver()
  receiver.answer = 410
  await world.given(aWebhook(receiver))
  await api.delete(statusPath(workflow, 'Review'))
  await world.service.timers.deliver()
  await api.delete(`/workflows/${workflow.id}`)
  await api.delete(`/tasks/${task.id}`)
  await (await world.signIn()).patch('/dispositions/waiting', { label: 'Elsewhere' })
  return world
}

/** Which of the account's events a token of these scopes is shown. */
const SHOWN: [scopes: readonly Scope[], patterns: readonly string[]][] = [
  [['tasks:read'], ['task.*', 'disposition.*']],
  [['projects:read'], ['project.*']],
  [['workflows:read'], ['workflow.*', 'status.*']],
  [['webhooks:manage'], ['webhook.*']],
  [
    ['tasks:read', 'projects:read'],
    ['task.*', 'disposition.*', 'project.*'],
  ],
  [
    ['tasks:write', 'workflows:read'],
    ['workflow.*', 'status.*'],
  ],
  [SCOPE_NAMES, ['*']],
]

const UNKNOWN_TYPES: [types: string, hint: RegExp | null][] = [
  ['tasks.created', /Did you mean task\.created\?/],
  ['task.complete', /Did you mean task\.completed\?/],
  ['Task.Created', /Did you mean task\.created\?/],
  ['tasks.*', /Did you mean task\.\*\?/],
  ['task', /Did you mean task\.\*\?/],
  ['webhook.test', /Did you mean webhook\.\*\?/],
  ['something.else.entirely', null],
  ['task.created;task.deleted', null],
  ['__proto__.*', null],
]

for (const engine of ENGINES) {
  describe(`the types of events that are asked for (${engine})`, () => {
    it('shows every type of event in the shape that the document has', async () => {
      await using world = await aFullWorld(engine)
      const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
      ajv.addSchema((await world.anonymous.get('/openapi.json')).body, 'document')
      const validate = ajv.compile({ $ref: 'document#/components/schemas/EventList' })

      const { body } = await world.api.get('/events?limit=100')

      assert.deepEqual([...new Set(body.data.map(({ type }: Resource) => type))].sort(), [...EVENT_TYPES].sort())
      assert.ok(validate(body), JSON.stringify(validate.errors))
    })

    it('are those that are shown: one, all of a kind, several, or all', async () => {
      await using world = await aFullWorld(engine)
      const all = await feed(world)

      for (const pattern of [
        ...EVENT_PATTERNS,
        'task.created,project.*',
        'status.*, task.woke',
        'task.*,task.created,task.created',
        'task.woke,*',
      ]) {
        const wanted = pattern.split(',').flatMap((one) => typesOf(one.trim()))
        const shown = await feed(world, `limit=100&types=${encodeURIComponent(pattern)}`)
        assert.ok(shown.length > 0, pattern)
        assert.deepEqual(
          shown,
          all.filter(({ type }) => wanted.includes(type)),
          pattern,
        )
      }
    })

    it('leave latest_sequence as it is, which is that of the whole log', async () => {
      await using world = await aFullWorld(engine)
      const { length } = await feed(world)

      for (const types of ['*', 'task.created', 'task.woke']) {
        assert.equal((await world.api.get(`/events?types=${types}`)).body.latest_sequence, length)
      }
    })

    for (const [types, hint] of UNKNOWN_TYPES) {
      it(`are refused when there is none such: ${types}`, async () => {
        await using world = await openWorld(engine)

        const [error] = assertInvalid(await world.api.get(`/events?types=${encodeURIComponent(types)}`), [
          'query',
          'types',
          'invalid_value',
        ])

        assert.match(error?.detail ?? '', /There are \*, task\.\*, .*task\.created, /)
        if (hint === null) assert.doesNotMatch(error?.detail ?? '', /Did you mean/)
        else assert.match(error?.detail ?? '', hint)
      })
    }

    it('are refused each by itself, and with an empty one among them', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.get('/events?types=task.made,task.created,,project.gone')

      assertInvalid(reply, ['query', 'types', 'invalid_value'], ['query', 'types', 'invalid_value'], ['query', 'types', 'invalid_value'])
    })

    for (const [parameters, ...problem] of [
      ['types=', 'types', 'too_short'],
      [`types=${'task.*,'.repeat(80)}`, 'types', 'too_long'],
      ['types=*&types=*', 'types', 'invalid_value'],
      ['type=task.created', 'type', 'unknown'],
      ['sort=sequence', 'sort', 'unknown'],
    ] as const) {
      it(`are refused as ${parameters.slice(0, 40)}`, async () => {
        await using world = await openWorld(engine)

        assertInvalid(await world.api.get(`/events?${parameters}`), ['query', ...problem])
      })
    }
  })

  describe(`what a token is shown of events (${engine})`, () => {
    for (const [scopes, patterns] of SHOWN) {
      it(`is ${patterns.join(' and ')} with ${scopes.join(' and ')}, whether it asks for everything or for nothing in particular`, async () => {
        await using world = await aFullWorld(engine)
        const client = await world.clientWith(scopes)
        const all = await feed(world)
        const wanted = patterns.flatMap(typesOf)

        for (const query of ['', '&types=*', `&types=${patterns.join(',')}`]) {
          const { status, body } = await client.get(`/events?limit=100${query}`)
          assert.equal(status, 200, query)
          assert.deepEqual(
            body.data,
            all.filter(({ type }) => wanted.includes(type)),
          )
          assert.equal(body.latest_sequence, all.length)
        }
      })
    }

    it('is nothing without a scope that shows any', async () => {
      await using world = await openWorld(engine)
      const client = await world.clientWith(['tasks:write', 'projects:write', 'workflows:write'])

      const reply = await client.get('/events')

      assert.match(String(assertProblem(reply, 403, 'insufficient_scope').detail), /tasks:read, projects:read, workflows:read/)
      assert.equal(
        reply.headers['www-authenticate'],
        'Bearer error="insufficient_scope", scope="tasks:read projects:read workflows:read webhooks:manage"',
      )
    })

    for (const [types, scope] of [
      ['project.*', 'projects:read'],
      ['task.created,status.updated', 'workflows:read'],
      ['workflow.deleted', 'workflows:read'],
      ['webhook.disabled', 'webhooks:manage'],
    ] as const) {
      it(`is refused when it asks for ${types} without ${scope}, which is named`, async () => {
        await using world = await openWorld(engine)
        const client = await world.clientWith(['tasks:read'])

        const reply = await client.get(`/events?types=${types}`)

        assert.match(String(assertProblem(reply, 403, 'insufficient_scope').detail), new RegExp(scope))
        assert.equal(reply.headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${scope}"`)
      })
    }
  })
}
