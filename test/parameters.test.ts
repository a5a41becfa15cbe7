import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UNKNOWN_ID } from './builders.ts'
import { filledWith, operationsOf } from './operations.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld } from './world.ts'

/** The parameters of each operation that has any, as the contract has them. */
const PARAMETERS: Record<string, string[]> = {
  listTasks: [
    'cursor',
    'disposition',
    'due_after',
    'due_before',
    'include_archived',
    'limit',
    'project_id',
    'q',
    'sort',
    'status_id',
  ].concat(['updated_since', 'workflow_id']),
  listProjects: ['cursor', 'include_archived', 'limit', 'sort'],
  listWorkflows: ['cursor', 'limit', 'sort'],
  listEvents: ['after', 'cursor', 'limit', 'types'],
  streamEvents: ['after', 'types'],
  listWebhooks: ['cursor', 'limit'],
  listDeliveries: ['cursor', 'limit', 'sort', 'state'],
}

const WRONG: [parameter: string, code: string][] = [
  ['limit=0', 'out_of_range'],
  ['limit=-1', 'out_of_range'],
  ['limit=101', 'out_of_range'],
  ['limit=999999999999999', 'out_of_range'],
  ['limit=99999999999999999999999', 'invalid_type'],
  ['limit=', 'invalid_type'],
  ['limit=ten', 'invalid_type'],
  ['limit=1.5', 'invalid_type'],
  ['limit=1e1', 'invalid_type'],
  ['limit=0x10', 'invalid_type'],
  ['limit=%2B5', 'invalid_type'],
  ['limit=+5', 'invalid_type'],
  ['limit=1%00', 'invalid_type'],
  ['cursor=', 'too_short'],
  ['cursor=nonsense', 'invalid_value'],
  ['cursor=a.b', 'invalid_value'],
  ['cursor=.', 'invalid_value'],
  ['cursor=%00', 'invalid_value'],
  [`cursor=${'x'.repeat(200)}`, 'invalid_value'],
  [`cursor=${'x'.repeat(201)}`, 'too_long'],
  ['disposition=', 'invalid_value'],
  ['disposition=Done', 'invalid_value'],
  ['disposition=__proto__', 'invalid_value'],
  ['project_id=', 'invalid_format'],
  ['project_id=7', 'invalid_format'],
  ['workflow_id=null', 'invalid_format'],
  [`status_id=${UNKNOWN_ID}%00`, 'invalid_format'],
  ['due_after=2026-02-30', 'invalid_format'],
  ['due_before=today', 'invalid_format'],
  ['updated_since=2026-12-01', 'invalid_format'],
  ['updated_since=2026-12-01T08:00:00', 'invalid_format'],
  ['updated_since=1800000000', 'invalid_format'],
  ['q=', 'too_short'],
  ['q=%20', 'too_short'],
  ['q=a%00b', 'malformed'],
  ['q=a%1bb', 'malformed'],
  [`q=${'x'.repeat(201)}`, 'too_long'],
  ['sort=title', 'invalid_value'],
  ['sort=created_at%20desc', 'invalid_value'],
  ['include_archived=1', 'invalid_value'],
  ['include_archived=', 'invalid_value'],
  ['include_archived=TRUE', 'invalid_value'],
]

const UNKNOWN = ['page', 'Limit', '__proto__', 'constructor', 'limit[]', '']

for (const engine of ENGINES) {
  describe(`parameters (${engine})`, () => {
    it('are in the document as the contract has them', async () => {
      await using world = await openWorld(engine)

      const told = (await operationsOf(world))
        .map(
          ({ operationId, parameters = [] }) =>
            [
              operationId,
              parameters
                .filter((one) => one.in === 'query')
                .map(({ name }) => name)
                .sort(),
            ] as const,
        )
        .filter(([, names]) => names.length > 0)

      assert.deepEqual(Object.fromEntries(told), PARAMETERS)
    })

    it('are refused by every operation when they are unknown', async () => {
      await using world = await openWorld(engine)

      for (const { operationId, method, path, requestBody } of await operationsOf(world)) {
        for (const name of UNKNOWN) {
          const reply = await world.api.send(method, `${filledWith(path)}?${encodeURIComponent(name)}=1`)
          const { errors } = assertProblem(reply, 400, 'invalid_request') as { errors: { in: string; name: string; code: string }[] }
          const inQuery = errors.filter((error) => error.in === 'query').map((error) => [error.name, error.code])
          assert.deepEqual(inQuery, [[name, 'unknown']], `${operationId} ${name}`)
          const beside = errors.filter((error) => error.in !== 'query').map(({ code }) => code)
          assert.ok(beside.length === 0 || (requestBody !== undefined && beside[0] === 'required'), `${operationId} ${reply.text}`)
        }
      }
      assert.deepEqual(await world.events(), [])
    })

    it('are refused by HEAD as by GET', async () => {
      await using world = await openWorld(engine)

      assert.equal((await world.api.send('HEAD', '/tasks?page=1')).status, 400)
    })

    for (const [wrong, right] of [
      ['limt', 'limit'],
      ['projectid', 'project_id'],
      ['update_since', 'updated_since'],
    ] as const) {
      it(`are asked about: did you mean ${right} by ${wrong}?`, async () => {
        await using world = await openWorld(engine)

        const [error] = assertInvalid(await world.api.get(`/tasks?${wrong}=1`), ['query', wrong, 'unknown'])

        assert.match(error?.detail as string, new RegExp(`Did you mean ${right}\\?`))
      })
    }

    for (const [operation, names] of Object.entries(PARAMETERS)) {
      it(`of ${operation} are refused when one is given twice, be it with the same value`, async () => {
        await using world = await openWorld(engine)
        const { path = '' } = (await operationsOf(world)).find(({ operationId }) => operationId === operation) ?? {}

        for (const name of names) {
          const reply = await world.api.get(`${filledWith(path)}?${name}=1&${name}=1`)
          assertInvalid(reply, ['query', name, 'invalid_value'])
        }
      })
    }

    it('that are unknown are refused also when they are given twice', async () => {
      await using world = await openWorld(engine)

      const { errors } = assertProblem(await world.api.get('/tasks?page=1&page=2'), 400, 'invalid_request') as {
        errors: { name: string }[]
      }

      assert.deepEqual([...new Set(errors.map(({ name }) => name))], ['page'])
    })

    for (const [parameter, code] of WRONG) {
      const name = parameter.split('=', 1)[0] as string

      it(`are refused: ${parameter.length > 60 ? `${name} of ${parameter.length - name.length - 1} characters` : parameter} (${code})`, async () => {
        await using world = await openWorld(engine)

        assertInvalid(await world.api.get(`/tasks?${parameter}`), ['query', name, code])
      })
    }

    it('are all told of at once', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.get('/tasks?limit=0&disposition=ready&page=2&sort=a&sort=b')

      assertInvalid(
        reply,
        ['query', 'limit', 'out_of_range'],
        ['query', 'disposition', 'invalid_value'],
        ['query', 'page', 'unknown'],
        ['query', 'sort', 'invalid_value'],
      )
    })

    it('may be left out behind the question mark', async () => {
      await using world = await openWorld(engine)

      assert.equal((await world.api.get('/tasks?')).status, 200)
    })
  })
}
