import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SCOPE_NAMES, type Scope } from '@fivetab/domain/scope.ts'
import type { Reply } from './client.ts'
import { filledWith, operationsOf } from './operations.ts'
import { assertProblem, ENGINES, openWorld } from './world.ts'

/** What shows events, each of some kinds. */
const SEEING: readonly Scope[] = ['tasks:read', 'projects:read', 'workflows:read', 'webhooks:manage']

/** The contract: what each operation needs, or one of what. */
const SCOPES: Record<string, Scope | readonly Scope[] | null> = {
  'GET /me': null,
  'GET /dispositions': null,
  'GET /tasks': 'tasks:read',
  'POST /tasks': 'tasks:write',
  'GET /tasks/{id}': 'tasks:read',
  'PATCH /tasks/{id}': 'tasks:write',
  'DELETE /tasks/{id}': 'tasks:write',
  'POST /tasks/{id}/complete': 'tasks:write',
  'POST /tasks/{id}/later': 'tasks:write',
  'POST /tasks/{id}/archive': 'tasks:write',
  'POST /tasks/{id}/unarchive': 'tasks:write',
  'GET /tasks/{id}/steps': 'tasks:read',
  'POST /tasks/{id}/steps': 'tasks:write',
  'GET /tasks/{id}/steps/{step_id}': 'tasks:read',
  'PATCH /tasks/{id}/steps/{step_id}': 'tasks:write',
  'DELETE /tasks/{id}/steps/{step_id}': 'tasks:write',
  'GET /projects': 'projects:read',
  'POST /projects': 'projects:write',
  'GET /projects/{id}': 'projects:read',
  'PATCH /projects/{id}': 'projects:write',
  'DELETE /projects/{id}': 'projects:write',
  'GET /workflows': 'workflows:read',
  'POST /workflows': 'workflows:write',
  'GET /workflows/{id}': 'workflows:read',
  'PATCH /workflows/{id}': 'workflows:write',
  'DELETE /workflows/{id}': 'workflows:write',
  'GET /workflows/{id}/statuses': 'workflows:read',
  'POST /workflows/{id}/statuses': 'workflows:write',
  'GET /workflows/{id}/statuses/{status_id}': 'workflows:read',
  'PATCH /workflows/{id}/statuses/{status_id}': 'workflows:write',
  'DELETE /workflows/{id}/statuses/{status_id}': 'workflows:write',
  'GET /events': SEEING,
  'GET /events/stream': SEEING,
  'GET /webhooks': 'webhooks:manage',
  'POST /webhooks': 'webhooks:manage',
  'GET /webhooks/{id}': 'webhooks:manage',
  'PATCH /webhooks/{id}': 'webhooks:manage',
  'DELETE /webhooks/{id}': 'webhooks:manage',
  'POST /webhooks/{id}/rotate_secret': 'webhooks:manage',
  'POST /webhooks/{id}/test': 'webhooks:manage',
  'GET /webhooks/{id}/deliveries': 'webhooks:manage',
  'GET /webhooks/{id}/deliveries/{delivery_id}': 'webhooks:manage',
  'POST /webhooks/{id}/deliveries/{delivery_id}/redeliver': 'webhooks:manage',
}

const ALL_SCOPES = [
  'tasks:read',
  'tasks:write',
  'projects:read',
  'projects:write',
  'workflows:read',
  'workflows:write',
  'webhooks:manage',
] as const satisfies Scope[]

function assertRefused(reply: Reply, ...scopes: readonly Scope[]): void {
  const { detail } = assertProblem(reply, 403, 'insufficient_scope')
  for (const scope of scopes) assert.ok((detail as string).includes(scope))
  assert.equal(reply.headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`)
}

/** Asserts that the request went past the check of scopes: to the resource that is not there, or to the body that is missing. */
function assertLetPast(reply: Reply): void {
  assert.ok([200, 400, 404].includes(reply.status), reply.text)
}

for (const engine of ENGINES) {
  describe(`scopes (${engine})`, () => {
    it('are those of the contract', () => {
      assert.deepEqual(SCOPE_NAMES, ALL_SCOPES)
    })

    it('are told in the document as the contract has them', async () => {
      await using world = await openWorld(engine)

      const told = (await operationsOf(world)).map(({ method, path, security }) => [`${method} ${path}`, security])

      const wanted = Object.entries(SCOPES).map(([operation, scope]) => [
        operation,
        scope === null ? [{ token: [] }] : [scope].flat().map((one) => ({ token: [one] })),
      ])
      assert.deepEqual(Object.fromEntries(told), Object.fromEntries(wanted))
    })

    for (const [operation, scope] of Object.entries(SCOPES)) {
      const needed = scope === null ? null : [scope].flat()
      // A stream that is let past has no end; one that is to begin where the log has not come has.
      const [method = '', path = ''] = filledWith(operation)
        .replace(/stream$/, 'stream?after=1000')
        .split(' ')
      const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]

      if (needed === null) {
        it(`let any token past at ${operation}`, async () => {
          await using world = await openWorld(engine)

          for (const scope of ALL_SCOPES) {
            const client = await world.clientWith([scope])
            for (const one of methods) assert.equal((await client.send(one, path)).status, 200)
          }
        })
        continue
      }

      it(`let ${needed.join(', ')} alone past at ${operation}`, async () => {
        await using world = await openWorld(engine)

        for (const scope of ALL_SCOPES) {
          const reply = await (await world.clientWith([scope])).send(method, path)
          if (needed.includes(scope)) assertLetPast(reply)
          else assertRefused(reply, ...needed)
        }
      })

      it(`refuse all but ${needed.join(', ')} together at ${operation}`, async () => {
        await using world = await openWorld(engine)
        const client = await world.clientWith(ALL_SCOPES.filter((scope) => !needed.includes(scope)))

        assertRefused(await client.send(method, path), ...needed)
      })
    }

    it('hold for HEAD as for GET', async () => {
      await using world = await openWorld(engine)
      const client = await world.clientWith(['tasks:read'])

      const replies = [await client.send('HEAD', '/tasks'), await client.send('HEAD', '/projects')]

      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 403],
      )
    })

    it('keep a refused write from changing anything', async () => {
      await using world = await openWorld(engine)
      const client = await world.clientWith(['tasks:read', 'projects:read', 'projects:write'])

      const reply = await client.post('/tasks', { title: 'One' })

      assertRefused(reply, 'tasks:write')
      assert.deepEqual(await world.events(), [])
    })

    it('of reading what a write answers with are not needed', async () => {
      await using world = await openWorld(engine)
      const client = await world.clientWith(['tasks:write'])

      const made = await client.post('/tasks', { title: 'One' })
      const read = await client.get(`/tasks/${made.body.id}`)

      assert.deepEqual([made.status, made.body.title], [201, 'One'])
      assertRefused(read, 'tasks:read')
    })
  })
}
