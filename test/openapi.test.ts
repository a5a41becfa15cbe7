import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { PROBLEM_KINDS } from '../packages/server/api/problem.ts'
import { ENGINES, openWorld } from './world.ts'

interface Operation {
  operationId: string
  summary: string
  security: { token: string[] }[]
  parameters?: { name: string; description?: string }[]
  responses: Record<string, { description: string; headers: object; content?: object }>
}

const committed = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))

const operations = Object.entries(committed.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)

for (const engine of ENGINES) {
  describe(`the API's own description (${engine})`, () => {
    it('is what openapi.json holds (npm run openapi writes it anew)', async () => {
      await using world = await openWorld(engine, { environment: { BASE_URL: 'http://127.0.0.1:3000' } })

      const reply = await world.anonymous.get('/openapi.json')

      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, committed)
    })
  })
}

describe('openapi.json', () => {
  it('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.equal(new Set(ids).size, ids.length)
    assert.equal(ids.length, 31)
  })

  for (const { name, operation } of operations) {
    it(`tells every status that ${name} can answer, with its codes and headers`, () => {
      const statuses = Object.keys(operation.responses)
      for (const status of ['400', '401', '403', '429', '500', '503']) assert.ok(statuses.includes(status), status)
      for (const [status, { description, headers }] of Object.entries(operation.responses)) {
        assert.ok('X-Request-Id' in headers)
        assert.equal('RateLimit-Limit' in headers, status !== '401' && status !== '503', status)
        assert.equal('Retry-After' in headers, status === '429' || status === '503', status)
        const told = [...description.matchAll(/`(\w+)`:/g)].map(([, code]) => code as keyof typeof PROBLEM_KINDS)
        if (Number(status) >= 400) assert.ok(told.length > 0, status)
        for (const code of told) assert.equal(PROBLEM_KINDS[code].status, Number(status))
      }
      assert.ok(operation.summary.length > 0)
      for (const parameter of operation.parameters ?? []) assert.ok((parameter.description ?? '').length > 0, parameter.name)
    })
  }

  it('describes every field of every shape', () => {
    const shapes = committed.components.schemas as Record<string, { description: string; properties: Record<string, object> }>
    for (const [name, shape] of Object.entries(shapes)) {
      assert.ok(shape.description.length > 0, name)
      for (const [field, schema] of Object.entries(shape.properties)) {
        assert.ok('description' in schema || 'const' in schema || 'enum' in schema, `${name}.${field}`)
      }
    }
  })
})
