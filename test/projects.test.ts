import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aTask, type Resource, UNKNOWN_ID } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { assertInvalid, assertProblem, ENGINES, HOUR, MINUTE, openWorld } from './world.ts'

const ACCEPTED: [what: string, body: Record<string, unknown>, kept: Record<string, unknown>][] = [
  ['a name of one character', { name: 'x' }, { name: 'x' }],
  ['a name of 200 code points', { name: '🏡'.repeat(200) }, { name: '🏡'.repeat(200) }],
  ['200 characters between spaces', { name: `\n ${'x'.repeat(200)}  ` }, { name: 'x'.repeat(200) }],
  ['no description', { name: 'x', description: null }, { description: null }],
  ['a description of 2,000 code points', { name: 'x', description: '🏡'.repeat(2_000) }, { description: '🏡'.repeat(2_000) }],
  ['a description of many lines', { name: 'x', description: ' a\r\n\tb\n' }, { description: 'a\n\tb' }],
]

const REFUSED_ALWAYS: [what: string, body: Record<string, unknown>, name: string, code: string][] = [
  ['an empty name', { name: '' }, 'name', 'too_short'],
  ['a name of spaces', { name: '   ' }, 'name', 'too_short'],
  ['a name of 201 code points', { name: 'x'.repeat(201) }, 'name', 'too_long'],
  ['a name of two lines', { name: 'a\nb' }, 'name', 'malformed'],
  ['null for the name', { name: null }, 'name', 'invalid_type'],
  ['a number for the name', { name: 7 }, 'name', 'invalid_type'],
  ['a description of 2,001 code points', { name: 'x', description: 'x'.repeat(2_001) }, 'description', 'too_long'],
  ['a description with NUL', { name: 'x', description: 'a\u0000b' }, 'description', 'malformed'],
  ['a description with half a surrogate pair', { name: 'x', description: 'a\ud83d' }, 'description', 'malformed'],
  ['a list for the description', { name: 'x', description: [] }, 'description', 'invalid_type'],
  ['an unknown field', { name: 'x', title: 'y' }, 'title', 'unknown'],
  ['a version', { name: 'x', version: '"1"' }, 'version', 'unknown'],
]

const OF_ONE: [what: string, send: (api: Client, id: string) => Promise<Reply>][] = [
  ['reading', (api, id) => api.get(`/projects/${id}`)],
  ['changing', (api, id) => api.patch(`/projects/${id}`, { name: 'y' })],
  ['deleting', (api, id) => api.delete(`/projects/${id}`)],
]

for (const engine of ENGINES) {
  describe(`creating a project (${engine})`, () => {
    it('answers 201 with the whole project, its ETag and where to find it', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/projects', { name: 'House move' })

      assert.equal(reply.status, 201)
      const { id, position, version, ...rest } = reply.body
      assert.deepEqual(rest, {
        object: 'project',
        name: 'House move',
        description: null,
        archived: false,
        created_at: world.now,
        updated_at: world.now,
      })
      assert.equal(typeof position, 'number')
      assert.equal(reply.headers.etag, version)
      assert.equal(reply.headers.location, `${world.service.url}/v1/projects/${id}`)
      assert.deepEqual((await world.api.get(`/projects/${id}`)).body, reply.body)
    })

    for (const [what, body, kept] of ACCEPTED) {
      it(`takes ${what}`, async () => {
        await using world = await openWorld(engine)
        assert.partialDeepStrictEqual(await world.given(aProject(body)), kept)
      })
    }

    for (const [what, body, name, code] of REFUSED_ALWAYS) {
      it(`refuses ${what}, as changing one does`, async () => {
        await using world = await openWorld(engine)
        const project = await world.given(aProject())

        assertInvalid(await world.api.post('/projects', body), ['body', name, code])
        assertInvalid(await world.api.patch(`/projects/${project.id}`, body), ['body', name, code])

        assert.deepEqual((await world.api.get('/projects')).body.data, [project])
      })
    }

    it('needs a name, and takes neither archived nor position', async () => {
      await using world = await openWorld(engine)
      assertInvalid(
        await world.api.post('/projects', { archived: true, position: 3 }),
        ['body', 'name', 'required'],
        ['body', 'archived', 'unknown'],
        ['body', 'position', 'unknown'],
      )
    })

    it('gives a retry with the same key and body the first project as it is now', async () => {
      await using world = await openWorld(engine)
      const send = (name: string) => world.api.post('/projects', { name }, { 'idempotency-key': 'k' })
      const first = await send('House move')
      const changed = (await world.api.patch(`/projects/${first.body.id}`, { name: 'Move' })).body

      const again = await send('House move')

      assert.equal(again.status, 200)
      assert.deepEqual(again.body, changed)
      assert.partialDeepStrictEqual(again.headers, {
        'idempotent-replayed': 'true',
        etag: changed.version,
        location: first.headers.location,
      })
      assertInvalid(await send('Another'), ['header', 'Idempotency-Key', 'conflict'])
      assert.equal((await world.api.get('/projects')).body.data.length, 1)
    })
  })

  describe(`listing projects (${engine})`, () => {
    it('goes oldest first, page by page', async () => {
      await using world = await openWorld(engine)
      const made: Resource[] = []
      for (const name of ['c', 'a', 'b']) made.push(await world.given(aProject({ name })))

      const first = (await world.api.get('/projects?limit=2')).body
      const second = (await world.api.get(`/projects?limit=2&cursor=${first.next_cursor}`)).body

      assert.deepEqual(first, { object: 'list', data: made.slice(0, 2), has_more: true, next_cursor: first.next_cursor })
      assert.deepEqual(second, { object: 'list', data: made.slice(2), has_more: false, next_cursor: null })
    })

    it('leaves archived ones out unless they are asked for', async () => {
      await using world = await openWorld(engine)
      const [kept, hidden] = [await world.given(aProject()), await world.given(aProject())]
      const archived = (await world.api.patch(`/projects/${hidden.id}`, { archived: true })).body

      assert.deepEqual((await world.api.get('/projects')).body.data, [kept])
      assert.deepEqual((await world.api.get('/projects?include_archived=false')).body.data, [kept])
      assert.deepEqual((await world.api.get('/projects?include_archived=true')).body.data, [kept, archived])
    })

    const BAD_QUERIES: [query: string, name: string, code: string][] = [
      ['limit=0', 'limit', 'out_of_range'],
      ['limit=101', 'limit', 'out_of_range'],
      ['limit=ten', 'limit', 'invalid_type'],
      ['cursor=nonsense', 'cursor', 'invalid_value'],
      [`cursor=${'x'.repeat(201)}`, 'cursor', 'too_long'],
      ['include_archived=yes', 'include_archived', 'invalid_value'],
      ['sort=name', 'sort', 'invalid_value'],
      ['archived=true', 'archived', 'unknown'],
    ]
    for (const [query, name, code] of BAD_QUERIES) {
      it(`refuses ?${query.slice(0, 40)}`, async () => {
        await using world = await openWorld(engine)
        assertInvalid(await world.api.get(`/projects?${query}`), ['query', name, code])
      })
    }

    it('shows nothing of another account', async () => {
      await using world = await openWorld(engine)
      await world.given(aProject())
      const { api: stranger } = await world.newAccount()

      assert.deepEqual((await stranger.get('/projects?include_archived=true')).body.data, [])
    })
  })

  describe(`changing a project (${engine})`, () => {
    it('changes only the fields that are sent, and clears one with null', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject({ description: 'All of it' }))
      world.advance(MINUTE)

      const renamed = await world.api.patch(`/projects/${project.id}`, { name: ' Move ' })
      const cleared = await world.api.patch(`/projects/${project.id}`, { description: null })

      assert.deepEqual(renamed.body, { ...project, name: 'Move', updated_at: world.now, version: renamed.body.version })
      assert.deepEqual(cleared.body, { ...renamed.body, description: null, version: cleared.body.version })
      assert.equal(new Set([project.version, renamed.body.version, cleared.body.version]).size, 3)
      assert.equal(cleared.headers.etag, cleared.body.version)
      assert.deepEqual((await world.api.get(`/projects/${project.id}`)).body, cleared.body)
    })

    it('changes nothing with what it already has, or with nothing', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject({ description: 'All of it' }))
      world.advance(HOUR)
      const { name, description, archived, position } = project

      for (const body of [{}, { name, description, archived, position }]) {
        assert.partialDeepStrictEqual(await world.api.patch(`/projects/${project.id}`, body), { status: 200, body: project })
      }
    })

    for (const field of ['archived', 'position']) {
      it(`refuses null and a text for ${field}`, async () => {
        await using world = await openWorld(engine)
        const project = await world.given(aProject())
        for (const value of [null, '1'])
          assertInvalid(await world.api.patch(`/projects/${project.id}`, { [field]: value }), ['body', field, 'invalid_type'])
      })
    }

    it('archives it and brings it back with its tasks as they were', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      const task = await world.given(aTask({ project_id: project.id }))
      world.advance(MINUTE)

      const archived = await world.api.patch(`/projects/${project.id}`, { archived: true })
      assert.partialDeepStrictEqual(archived, { status: 200, body: { archived: true, updated_at: world.now } })
      assert.deepEqual((await world.api.get(`/projects/${project.id}`)).body, archived.body)
      assert.deepEqual((await world.api.get(`/tasks?project_id=${project.id}`)).body.data, [task])

      const back = await world.api.patch(`/projects/${project.id}`, { archived: false })
      assert.deepEqual((await world.api.get('/projects')).body.data, [back.body])
    })
  })

  describe(`deleting a project (${engine})`, () => {
    it('leaves its tasks in their Disposition and without it', async () => {
      await using world = await openWorld(engine)
      const [project, other] = [await world.given(aProject()), await world.given(aProject())]
      const waiting = await world.given(aTask({ project_id: project.id, disposition: 'waiting' }))
      const { id: archivedId } = await world.given(aTask({ project_id: project.id }))
      const archived = (await world.api.post(`/tasks/${archivedId}/archive`)).body
      const bystander = await world.given(aTask({ project_id: other.id }))
      world.advance(MINUTE)

      const reply = await world.api.delete(`/projects/${project.id}`)

      assert.deepEqual({ status: reply.status, text: reply.text }, { status: 204, text: '' })
      for (const task of [waiting, archived]) {
        const now = (await world.api.get(`/tasks/${task.id}`)).body
        assert.notEqual(now.version, task.version)
        assert.deepEqual(now, { ...task, project_id: null, updated_at: world.now, version: now.version })
      }
      assert.deepEqual((await world.api.get(`/tasks/${bystander.id}`)).body, bystander)
      assert.deepEqual((await world.api.get('/projects?include_archived=true')).body.data, [other])
    })

    it('reaches every one of a great many tasks', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      await Promise.all(Array.from({ length: 505 }, () => world.given(aTask({ project_id: project.id }))))

      await world.api.delete(`/projects/${project.id}`)

      const touched = (await world.events()).filter((event) => event.cause === 'cascade')
      assert.equal(new Set(touched.map(({ data }) => (data as Resource).id)).size, 505)
    })

    it('makes it unknown to everything that names it', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())
      await world.api.delete(`/projects/${project.id}`)

      for (const [, send] of OF_ONE) assertProblem(await send(world.api, project.id), 404, 'not_found')
      const reply = await world.api.post('/tasks', { title: 'x', project_id: project.id })
      assertInvalid(reply, ['body', 'project_id', 'unknown_reference'])
    })
  })

  describe(`a project and its readers (${engine})`, () => {
    for (const [what, send] of OF_ONE) {
      it(`is 404 for ${what} when it is unknown or another account's, and 400 by a malformed id`, async () => {
        await using world = await openWorld(engine)
        const project = await world.given(aProject())
        const { api: stranger } = await world.newAccount()

        assertProblem(await send(world.api, UNKNOWN_ID), 404, 'not_found')
        assertProblem(await send(stranger, project.id), 404, 'not_found')
        assertInvalid(await send(world.api, 'one'), ['path', 'id', 'invalid_format'])
        assert.deepEqual((await world.api.get(`/projects/${project.id}`)).body, project)
      })
    }

    for (const method of ['PATCH', 'DELETE']) {
      it(`is safe from a ${method} that expected another version`, async () => {
        await using world = await openWorld(engine)
        const project = await world.given(aProject())
        const current = (await world.api.patch(`/projects/${project.id}`, { name: 'Move' })).body
        const send = (tag: string) =>
          world.api.send(method, `/projects/${project.id}`, {
            headers: { 'if-match': tag },
            ...(method === 'PATCH' && { body: { name: 'Lost' } }),
          })

        const refused = await send(project.version)

        const body = assertProblem(refused, 412, 'precondition_failed')
        assert.deepEqual({ version: body.version, current: body.current }, { version: current.version, current })
        assert.equal(refused.headers.etag, current.version)
        assert.deepEqual((await world.api.get(`/projects/${project.id}`)).body, current)
        assert.ok((await send(current.version)).status < 300)
      })
    }

    it('is not sent again to one who has it', async () => {
      await using world = await openWorld(engine)
      const project = await world.given(aProject())

      const reply = await world.api.get(`/projects/${project.id}`, { 'if-none-match': project.version })

      assert.deepEqual(
        { status: reply.status, text: reply.text, etag: reply.headers.etag },
        { status: 304, text: '', etag: project.version },
      )
    })
  })
}
