import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { PROBLEM_KINDS } from '../packages/server/api/problem.ts'
import { operationsIn } from './operations.ts'
import { ENGINES, openWorld } from './world.ts'

const committed = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))

const operations = operationsIn(committed)

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
    const ids = operations.map(({ operationId }) => operationId)
    assert.equal(new Set(ids).size, ids.length)
    assert.equal(ids.length, 43)
  })

  for (const { method, path, summary, parameters = [], responses } of operations) {
    it(`tells every status that ${method} ${path} can answer, with its codes and headers`, () => {
      const statuses = Object.keys(responses)
      for (const status of ['400', '401', '403', '429', '500', '503']) assert.ok(statuses.includes(status), status)
      for (const [status, { description, headers }] of Object.entries(responses)) {
        assert.ok('X-Request-Id' in headers)
        assert.equal('RateLimit-Limit' in headers, status !== '401' && status !== '503', status)
        assert.equal('Retry-After' in headers, status === '429' || status === '503', status)
        const told = [...description.matchAll(/`(\w+)`:/g)].map(([, code]) => code as keyof typeof PROBLEM_KINDS)
        if (Number(status) >= 400) assert.ok(told.length > 0, status)
        for (const code of told) assert.equal(PROBLEM_KINDS[code].status, Number(status))
      }
      assert.ok(summary.length > 0)
      for (const parameter of parameters) assert.ok((parameter.description ?? '').length > 0, parameter.name)
    })
  }

  for (const { method, path, description, parameters = [] } of operations) {
    it(`describes ${method} ${path}, with an example of each parameter`, () => {
      assert.ok((description ?? '').length > 0)
      for (const { name, example } of parameters) assert.ok(example !== undefined, name)
    })
  }

  it('describes every field of every shape', () => {
    const shapes = committed.components.schemas as Record<string, { description: string; properties?: Record<string, object> }>
    assert.ok('Task' in shapes)
    for (const [name, shape] of Object.entries(shapes)) {
      assert.ok(shape.description.length > 0, name)
      for (const [field, schema] of Object.entries(shape.properties ?? {})) {
        assert.ok('description' in schema || 'const' in schema || 'enum' in schema, `${name}.${field}`)
      }
    }
  })
})
