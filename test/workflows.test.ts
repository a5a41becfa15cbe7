import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, aWorkflow, type Resource, STATUSES, statusOf, UNKNOWN_ID } from './builders.ts'
import type { Client, Reply } from './client.ts'
import { assertInvalid, assertProblem, ENGINES, HOUR, MINUTE, openWorld } from './world.ts'

const statusesNamed = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `Stage ${n}`, disposition: 'waiting' }))

const ACCEPTED: [what: string, body: Record<string, unknown>, kept: Record<string, unknown>][] = [
  ['a name of one character', { name: 'x' }, { name: 'x' }],
  ['a name of 200 code points', { name: '✏'.repeat(200) }, { name: '✏'.repeat(200) }],
  ['200 code points between spaces', { name: ` ${'🖋'.repeat(200)}\t` }, { name: '🖋'.repeat(200) }],
  ['no emoji', { emoji: null }, { emoji: null }],
  ['a plain emoji', { emoji: '🚀' }, { emoji: '🚀' }],
  ['an emoji with spaces around', { emoji: ' 🚀 ' }, { emoji: '🚀' }],
  ['an emoji by a variation selector', { emoji: '✍️' }, { emoji: '✍️' }],
  ['an emoji with a skin tone', { emoji: '👍🏽' }, { emoji: '👍🏽' }],
  ['a family, joined', { emoji: '👨‍👩‍👧‍👦' }, { emoji: '👨‍👩‍👧‍👦' }],
  ['a flag', { emoji: '🇩🇪' }, { emoji: '🇩🇪' }],
  ['the flag of a part of a country', { emoji: '🏴󠁧󠁢󠁳󠁣󠁴󠁿' }, { emoji: '🏴󠁧󠁢󠁳󠁣󠁴󠁿' }],
  ['a keycap', { emoji: '1️⃣' }, { emoji: '1️⃣' }],
  ['no description', { description: null }, { description: null }],
  ['a description of 2,000 code points', { description: '🏡'.repeat(2_000) }, { description: '🏡'.repeat(2_000) }],
  ['a description of many lines', { description: ' a\r\n\tb\n' }, { description: 'a\n\tb' }],
]

const REFUSED_ALWAYS: [what: string, body: Record<string, unknown>, name: string, code: string][] = [
  ['an empty name', { name: '' }, 'name', 'too_short'],
  ['a name of spaces', { name: '   ' }, 'name', 'too_short'],
  ['a name of 201 code points', { name: '🖋'.repeat(201) }, 'name', 'too_long'],
  ['a name of two lines', { name: 'a\nb' }, 'name', 'malformed'],
  ['null for the name', { name: null }, 'name', 'invalid_type'],
  ['two emojis', { emoji: '🚀🚀' }, 'emoji', 'invalid_format'],
  ['letters for an emoji', { emoji: 'ab' }, 'emoji', 'invalid_format'],
  ['a digit for an emoji', { emoji: '1' }, 'emoji', 'invalid_format'],
  ['half a flag', { emoji: '🇩' }, 'emoji', 'invalid_format'],
  ['an emoji and a letter', { emoji: '🚀x' }, 'emoji', 'invalid_format'],
  ['an empty emoji', { emoji: '' }, 'emoji', 'invalid_format'],
  ['a number for an emoji', { emoji: 1 }, 'emoji', 'invalid_type'],
  ['a description of 2,001 code points', { description: 'x'.repeat(2_001) }, 'description', 'too_long'],
  ['a description with NUL', { description: 'a\u0000b' }, 'description', 'malformed'],
  ['an unknown field', { archived: true }, 'archived', 'unknown'],
]

const OF_ONE: [what: string, send: (api: Client, id: string) => Promise<Reply>][] = [
  ['reading', (api, id) => api.get(`/workflows/${id}`)],
  ['changing', (api, id) => api.patch(`/workflows/${id}`, { name: 'y' })],
  ['deleting', (api, id) => api.delete(`/workflows/${id}`)],
]

const listed = ({ statuses: _, ...workflow }: Resource) => workflow

for (const engine of ENGINES) {
  describe(`creating a Workflow (${engine})`, () => {
    it('answers 201 with the whole Workflow, its ETag and where to find it', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/workflows', { name: 'Article' })

      assert.equal(reply.status, 201)
      const { id, position, version, ...rest } = reply.body
      assert.deepEqual(rest, {
        object: 'workflow',
        name: 'Article',
        emoji: null,
        description: null,
        created_at: world.now,
        updated_at: world.now,
        statuses: [],
      })
      assert.equal(typeof position, 'number')
      assert.equal(reply.headers.etag, version)
      assert.equal(reply.headers.location, `${world.service.url}/v1/workflows/${id}`)
      assert.deepEqual((await world.api.get(`/workflows/${id}`)).body, reply.body)
    })

    it('makes its Statuses with it, in tab order, and in the order given within a Disposition', async () => {
      await using world = await openWorld(engine)
      const shuffled = [STATUSES[5], STATUSES[1], STATUSES[4], STATUSES[0], STATUSES[3], STATUSES[2]]

      const workflow = await world.given(aWorkflow({ statuses: shuffled }))

      assert.deepEqual(
        workflow.statuses.map(({ name, disposition }: Resource) => ({ name, disposition })),
        [STATUSES[1], STATUSES[0], STATUSES[2], STATUSES[3], STATUSES[4], STATUSES[5]],
      )
      for (const status of workflow.statuses) {
        assert.equal(status.workflow_id, workflow.id)
        assert.deepEqual((await world.api.get(`/workflows/${workflow.id}/statuses/${status.id}`)).body, status)
      }
      assert.deepEqual((await world.api.get(`/workflows/${workflow.id}/statuses`)).body.data, workflow.statuses)
    })

    for (const [what, body, kept] of ACCEPTED) {
      it(`takes ${what}, as changing one does`, async () => {
        await using world = await openWorld(engine)
        assert.partialDeepStrictEqual(await world.given(aWorkflow(body)), kept)

        const { id } = await world.given(aWorkflow({ emoji: '🐌', description: 'Before' }))
        assert.partialDeepStrictEqual(await world.api.patch(`/workflows/${id}`, body), { status: 200, body: kept })
      })
    }

    for (const [what, body, name, code] of REFUSED_ALWAYS) {
      it(`refuses ${what}, as changing one does`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())

        assertInvalid(await world.api.post('/workflows', { name: 'x', ...body }), ['body', name, code])
        assertInvalid(await world.api.patch(`/workflows/${workflow.id}`, body), ['body', name, code])

        assert.deepEqual((await world.api.get('/workflows')).body.data, [listed(workflow)])
        assert.deepEqual((await world.api.get(`/workflows/${workflow.id}`)).body, workflow)
      })
    }

    it('needs a name, and takes no position', async () => {
      await using world = await openWorld(engine)
      assertInvalid(await world.api.post('/workflows', { position: 1 }), ['body', 'name', 'required'], ['body', 'position', 'unknown'])
    })

    it('makes all of it or nothing, and says what is wrong with each Status', async () => {
      await using world = await openWorld(engine)
      const statuses = [
        { name: 'Good', disposition: 'waiting' },
        { name: '', disposition: 'in_progress' },
        { name: 'Early', disposition: 'not_started' },
        { name: 'Placed', disposition: 'done', position: 4 },
        {},
      ]

      const reply = await world.api.post('/workflows', { name: 'x', statuses })

      const errors = assertInvalid(
        reply,
        ['body', 'name', 'too_short'],
        ['body', 'disposition', 'invalid_value'],
        ['body', 'position', 'unknown'],
        ['body', 'name', 'required'],
        ['body', 'disposition', 'required'],
      )
      assert.deepEqual(errors.map((error) => error.pointer).sort(), [
        '/statuses/1/name',
        '/statuses/2/disposition',
        '/statuses/3/position',
        '/statuses/4/disposition',
        '/statuses/4/name',
      ])
      assert.deepEqual((await world.api.get('/workflows')).body.data, [])
      assert.deepEqual(await world.events(), [])
    })

    it('takes 100 Statuses, and refuses 101 altogether', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.post('/workflows', { name: 'x', statuses: statusesNamed(101) })
      assertInvalid(reply, ['body', 'statuses', 'too_long'])
      assert.deepEqual((await world.api.get('/workflows')).body.data, [])

      const workflow = await world.given(aWorkflow({ statuses: statusesNamed(100) }))
      assert.deepEqual(
        workflow.statuses.map((status: Resource) => status.name),
        statusesNamed(100).map((status) => status.name),
      )
    })

    it('gives a retry with the same key and body the first Workflow as it is now', async () => {
      await using world = await openWorld(engine)
      const send = (name: string) => world.api.post('/workflows', { name, statuses: STATUSES }, { 'idempotency-key': 'k' })
      const first = await send('Article')
      await world.api.post(`/workflows/${first.body.id}/statuses`, { name: 'Proofs', disposition: 'waiting' })
      const now = (await world.api.get(`/workflows/${first.body.id}`)).body

      const again = await send('Article')

      assert.equal(again.status, 200)
      assert.deepEqual(again.body, now)
      assert.equal(again.body.statuses.length, STATUSES.length + 1)
      assert.partialDeepStrictEqual(again.headers, { 'idempotent-replayed': 'true', etag: now.version, location: first.headers.location })
      assertInvalid(await send('Another'), ['header', 'Idempotency-Key', 'conflict'])
      assert.equal((await world.api.get('/workflows')).body.data.length, 1)
    })
  })

  describe(`listing Workflows (${engine})`, () => {
    it('goes oldest first, page by page, without their Statuses', async () => {
      await using world = await openWorld(engine)
      const made: Resource[] = []
      for (const name of ['c', 'a', 'b']) made.push(listed(await world.given(aWorkflow({ name }))))

      const first = (await world.api.get('/workflows?limit=2')).body
      const second = (await world.api.get(`/workflows?limit=2&cursor=${first.next_cursor}`)).body

      assert.deepEqual(first, { object: 'list', data: made.slice(0, 2), has_more: true, next_cursor: first.next_cursor })
      assert.deepEqual(second, { object: 'list', data: made.slice(2), has_more: false, next_cursor: null })
    })

    const BAD_QUERIES: [query: string, name: string, code: string][] = [
      ['limit=0', 'limit', 'out_of_range'],
      ['limit=101', 'limit', 'out_of_range'],
      ['cursor=nonsense', 'cursor', 'invalid_value'],
      [`cursor=${'x'.repeat(201)}`, 'cursor', 'too_long'],
      ['sort=name', 'sort', 'invalid_value'],
      ['include_archived=true', 'include_archived', 'unknown'],
    ]
    for (const [query, name, code] of BAD_QUERIES) {
      it(`refuses ?${query.slice(0, 40)}`, async () => {
        await using world = await openWorld(engine)
        assertInvalid(await world.api.get(`/workflows?${query}`), ['query', name, code])
      })
    }

    it('shows nothing of another account', async () => {
      await using world = await openWorld(engine)
      await world.given(aWorkflow())
      const { api: stranger } = await world.newAccount()

      assert.deepEqual((await stranger.get('/workflows')).body.data, [])
    })
  })

  describe(`changing a Workflow (${engine})`, () => {
    it('changes only the fields that are sent, clears one with null, and answers with its Statuses', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ emoji: '🐌', description: 'Slowly' }))
      world.advance(MINUTE)

      const renamed = await world.api.patch(`/workflows/${workflow.id}`, { name: ' Essay ' })
      const cleared = await world.api.patch(`/workflows/${workflow.id}`, { emoji: null, description: null })

      assert.deepEqual(renamed.body, { ...workflow, name: 'Essay', updated_at: world.now, version: renamed.body.version })
      assert.deepEqual(cleared.body, { ...renamed.body, emoji: null, description: null, version: cleared.body.version })
      assert.equal(new Set([workflow.version, renamed.body.version, cleared.body.version]).size, 3)
      assert.equal(cleared.headers.etag, cleared.body.version)
      assert.deepEqual((await world.api.get(`/workflows/${workflow.id}`)).body, cleared.body)
    })

    it('changes nothing with what it already has, or with nothing', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow({ emoji: '🐌', description: 'Slowly' }))
      world.advance(HOUR)
      const { name, emoji, description, position } = workflow

      for (const body of [{}, { name, emoji, description, position }]) {
        assert.partialDeepStrictEqual(await world.api.patch(`/workflows/${workflow.id}`, body), { status: 200, body: workflow })
      }
    })

    it('takes no Statuses: those are changed one by one', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      assertInvalid(await world.api.patch(`/workflows/${workflow.id}`, { statuses: [] }), ['body', 'statuses', 'unknown'])
    })

    it('changes no task and no Status', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      const task = await world.given(aTask({ status_id: statusOf(workflow, 'Draft').id }))
      world.advance(MINUTE)

      const reply = await world.api.patch(`/workflows/${workflow.id}`, { name: 'Essay', position: 7 })

      assert.deepEqual(reply.body.statuses, workflow.statuses)
      assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, task)
    })
  })

  describe(`a Workflow and its readers (${engine})`, () => {
    for (const [what, send] of OF_ONE) {
      it(`is 404 for ${what} when it is unknown or another account's, and 400 by a malformed id`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const { api: stranger } = await world.newAccount()

        assertProblem(await send(world.api, UNKNOWN_ID), 404, 'not_found')
        assertProblem(await send(stranger, workflow.id), 404, 'not_found')
        assertInvalid(await send(world.api, 'one'), ['path', 'id', 'invalid_format'])
        assert.deepEqual((await world.api.get(`/workflows/${workflow.id}`)).body, workflow)
      })
    }

    for (const method of ['PATCH', 'DELETE']) {
      it(`is safe from a ${method} that expected another version, and is shown whole`, async () => {
        await using world = await openWorld(engine)
        const workflow = await world.given(aWorkflow())
        const current = (await world.api.patch(`/workflows/${workflow.id}`, { name: 'Essay' })).body
        const send = (tag: string) =>
          world.api.send(method, `/workflows/${workflow.id}`, {
            headers: { 'if-match': tag },
            ...(method === 'PATCH' && { body: { name: 'Lost' } }),
          })

        const refused = await send(workflow.version)

        const body = assertProblem(refused, 412, 'precondition_failed')
        assert.deepEqual({ version: body.version, current: body.current }, { version: current.version, current })
        assert.equal(refused.headers.etag, current.version)
        assert.deepEqual((await world.api.get(`/workflows/${workflow.id}`)).body, current)
        assert.ok((await send(current.version)).status < 300)
      })
    }

    it('is not sent again to one who has it', async () => {
      await using world = await openWorld(engine)
      const { id, version } = await world.given(aWorkflow())

      const reply = await world.api.get(`/workflows/${id}`, { 'if-none-match': version })

      assert.deepEqual({ status: reply.status, text: reply.text, etag: reply.headers.etag }, { status: 304, text: '', etag: version })
    })
  })
}
