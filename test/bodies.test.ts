import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aStep, aTask, aWorkflow } from './builders.ts'
import { exchange } from './client.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld } from './world.ts'

const MALFORMED: [what: string, raw: string | Uint8Array][] = [
  ['cut off', '{"title":"One"'],
  ['followed by more', '{"title":"One"} {}'],
  ['with a comma at the end', '{"title":"One",}'],
  ['with single quotes', "{'title':'One'}"],
  ['with keys that have no quotes', '{title:"One"}'],
  ['with a comment', '{"title":"One"} // mine'],
  ['with NaN', '{"title":"One","estimate_minutes":NaN}'],
  ['with Infinity', '{"title":"One","estimate_minutes":Infinity}'],
  ['with a number that begins with 0', '{"title":"One","estimate_minutes":07}'],
  ['with a hexadecimal number', '{"title":"One","estimate_minutes":0x7}'],
  ['with a raw newline in a string', '{"title":"One\nTwo"}'],
  ['with a raw NUL', '{"title":"One\0"}'],
  ['with an escape that is none', '{"title":"\\x41"}'],
  ['of spaces alone', '   '],
  ['that is a form', 'title=One'],
  ['with a key twice', '{"title":"One","title":"One"}'],
  ['with a key twice, once escaped', '{"title":"One","\\u0074itle":"Two"}'],
  ['with __proto__ twice', '{"title":"One","__proto__":1,"__proto__":2}'],
  ['with a key twice deep inside', '{"title":"One","notes":[{"a":{"b":1,"c":2,"b":3}}]}'],
  ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0x74, 0x69, 0x74, 0x6c, 0x65, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ['in UTF-8 with a surrogate', Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')])],
  ['in UTF-8 that is longer than it need be', Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
  ['in UTF-16', Buffer.from('{"title":"One"}', 'utf16le')],
  ['nested 33 deep', `{"title":"One","notes":${'['.repeat(32)}${']'.repeat(32)}}`],
  ['nested 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['nested 100,000 deep and cut off', '{"a":'.repeat(40_000)],
]

const NO_OBJECT = ['[]', '[{"title":"One"}]', 'null', '"One"', '7', 'true', 'false']

const OTHER_TYPES = [
  'text/plain',
  'text/json',
  'application/jsonx',
  'application/problem+json',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'json',
  ';;',
  'application/json, text/plain',
]

/** Values of Content-Type that name no type at all. */
const UNREADABLE_TYPES = ['garbage', ',;', '']

/** `{"title":"One"}` with spaces in it up to `size` bytes. */
function padded(size: number): string {
  return `{"title":"One"${' '.repeat(size - 15)}}`
}

for (const engine of ENGINES) {
  describe(`bodies (${engine})`, () => {
    for (const [what, raw] of MALFORMED) {
      it(`are refused ${what}`, async () => {
        await using world = await openWorld(engine)

        const reply = await world.api.send('POST', '/tasks', { raw })

        assertInvalid(reply, ['body', '', 'malformed'])
        assert.ok(!/\.[jt]s:\d/.test(reply.text), reply.text)
        assert.deepEqual(await world.events(), [])
      })
    }

    it('may have the same key in two objects, and a key that looks like one in a text', async () => {
      await using world = await openWorld(engine)
      const raw = '{"name":"{\\"name\\":1,\\"name\\":2}","statuses":[{"name":"A","disposition":"done"},{"name":"B","disposition":"done"}]}'

      const reply = await world.api.send('POST', '/workflows', { raw })

      assert.deepEqual([reply.status, reply.body.name], [201, '{"name":1,"name":2}'])
    })

    it('may be nested 32 deep before their fields are looked at', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.send('POST', '/tasks', { raw: `{"title":"One","notes":${'['.repeat(31)}${']'.repeat(31)}}` })

      assertInvalid(reply, ['body', 'notes', 'invalid_type'])
    })

    for (const raw of NO_OBJECT) {
      it(`are refused when they are ${raw} at a creation`, async () => {
        await using world = await openWorld(engine)

        for (const path of ['/tasks', '/projects', '/workflows']) {
          assertInvalid(await world.api.send('POST', path, { raw }), ['body', '', 'invalid_type'])
        }
      })

      it(`are refused when they are ${raw} in a PATCH and at an action`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const replies = [
          await world.api.send('PATCH', `/tasks/${task.id}`, { raw }),
          await world.api.send('POST', `/tasks/${task.id}/complete`, { raw }),
          await world.api.send('POST', `/tasks/${task.id}/later`, { raw }),
        ]

        for (const reply of replies) assertInvalid(reply, ['body', '', 'invalid_type'])
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, task)
      })
    }

    it('are required by creations and by PATCH', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const requests = [
        ['POST', '/tasks'],
        ['POST', '/projects'],
        ['POST', '/workflows'],
        ['POST', `/tasks/${task.id}/steps`],
        ['PATCH', `/tasks/${task.id}`],
      ] as const

      for (const [method, path] of requests) {
        assertInvalid(await world.api.send(method, path), ['body', '', 'required'])
        assertInvalid(await world.api.send(method, path, { raw: '' }), ['body', '', 'required'])
      }
    })

    for (const type of OTHER_TYPES) {
      it(`are refused as ${type}`, async () => {
        await using world = await openWorld(engine)

        const reply = await world.api.send('POST', '/tasks', { raw: '{"title":"One"}', headers: { 'content-type': type } })

        assertInvalid(reply, ['header', 'Content-Type', 'invalid_value'])
        assert.deepEqual(await world.events(), [])
      })
    }

    it('are refused without a Content-Type', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.send('POST', '/tasks', { raw: '{"title":"One"}', headers: { 'content-type': [] } })

      assertInvalid(reply, ['header', 'Content-Type', 'invalid_value'])
    })

    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
      it(`are taken as ${type}`, async () => {
        await using world = await openWorld(engine)

        const reply = await world.api.send('POST', '/tasks', { raw: '{"title":"One"}', headers: { 'content-type': type } })

        assert.equal(reply.status, 201)
      })
    }

    for (const [how, headers] of [
      ['with their length told', {}],
      ['in chunks', { 'transfer-encoding': 'chunked' }],
    ] as const) {
      it(`are taken up to 256 KiB ${how}`, async () => {
        await using world = await openWorld(engine)

        assert.equal((await world.api.send('POST', '/tasks', { raw: padded(262_144), headers })).status, 201)
      })

      for (const size of [262_145, 4_000_000]) {
        it(`are refused with ${size} bytes ${how}`, async () => {
          await using world = await openWorld(engine)

          const reply = await world.api.send('POST', '/tasks', { raw: padded(size), headers })

          assertInvalid(reply, ['body', '', 'too_long'])
          assert.deepEqual(await world.events(), [])
        })
      }
    }

    it('do not hold the service up, whatever they are full of', async () => {
      await using world = await openWorld(engine)
      const key = (index: number) => `"${index.toString(36)}":1`
      const hostile = [
        `{${Array.from({ length: 25_000 }, (_, index) => key(index)).join(',')}}`,
        `[${'[],'.repeat(80_000)}[]]`,
        `{"title":"${'\\u0041'.repeat(40_000)}"}`,
        `{"title":"${'"'.repeat(200_000)}`,
        `{"${'a'.repeat(250_000)}":1}`,
      ]

      for (const raw of hostile) {
        const started = performance.now()
        assertProblem(await world.api.send('POST', '/tasks', { raw }), 400, 'invalid_request')
        assert.ok(performance.now() - started < 2_000)
      }
    })

    it('are refused by DELETE, unless they are empty', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const step = await world.given(aStep(task))
      const workflow = await world.given(aWorkflow())
      const paths = [
        `/tasks/${task.id}/steps/${step.id}`,
        `/tasks/${task.id}`,
        `/workflows/${workflow.id}/statuses/${workflow.statuses[0].id}`,
      ]

      const remove = (path: string, raw: string) =>
        world.api.send('DELETE', path, { raw, headers: { 'content-type': 'application/json', 'content-length': String(raw.length) } })

      for (const path of paths) {
        for (const raw of ['{}', 'null', '[]', '{"if_match":"7"}']) assertInvalid(await remove(path, raw), ['body', '', 'unknown'])
        assertInvalid(await remove(path, '{'), ['body', '', 'malformed'])
        assert.equal((await remove(path, '')).status, 204)
      }
    })

    for (const type of [undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded', ...UNREADABLE_TYPES]) {
      it(`may be empty at actions and DELETE with Content-Type ${type === '' ? 'of nothing' : type}`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())
        const options = { ...(type !== undefined && { headers: { 'content-type': type } }) }

        const statuses: number[] = []
        for (const action of ['complete', 'later', 'archive', 'unarchive']) {
          statuses.push((await world.api.send('POST', `/tasks/${task.id}/${action}`, options)).status)
        }
        statuses.push((await world.api.send('DELETE', `/tasks/${task.id}`, options)).status)

        assert.deepEqual(statuses, [200, 200, 200, 200, 204])
      })
    }

    for (const length of ['', 'Content-Length: 0\r\n']) {
      for (const type of UNREADABLE_TYPES) {
        it(`may be empty ${length === '' ? 'without a length' : 'of the length 0'} with Content-Type ${type === '' ? 'of nothing' : type}`, async () => {
          await using world = await openWorld(engine)
          const task = await world.given(aTask())
          const headers = `Host: x\r\nAuthorization: Bearer ${world.api.token}\r\nConnection: close\r\nContent-Type: ${type}\r\n${length}\r\n`

          const completed = await exchange(world.service.url, `POST /v1/tasks/${task.id}/complete HTTP/1.1\r\n${headers}`)
          const deleted = await exchange(world.service.url, `DELETE /v1/tasks/${task.id} HTTP/1.1\r\n${headers}`)

          assert.match(completed, /^HTTP\/1\.1 200 /)
          assert.match(deleted, /^HTTP\/1\.1 204 /)
          assert.deepEqual(
            (await world.events()).map((event) => event.type),
            ['task.created', 'task.completed', 'task.deleted'],
          )
        })
      }
    }

    for (const action of ['complete', 'archive', 'unarchive']) {
      it(`may be {} at ${action}, and nothing else`, async () => {
        await using world = await openWorld(engine)
        const task = await world.given(aTask())

        const empty = await world.api.post(`/tasks/${task.id}/${action}`, {})
        const full = await world.api.post(`/tasks/${task.id}/${action}`, { until: world.later(1) })

        assert.equal(empty.status, 200)
        assertInvalid(full, ['body', 'until', 'unknown'])
      })
    }
  })
}
