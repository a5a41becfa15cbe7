import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { aTask, UNKNOWN_ID } from './builders.ts'
import type { Reply } from './client.ts'
import { meddle } from './database.ts'
import { assertProblem, ENGINES, openWorld, type World } from './world.ts'

const LEVELS = { 20: 'debug', 30: 'info', 50: 'error' } as Record<number, string>

/** The lines about answers, once the last of them is written. */
async function answered(world: World): Promise<Record<string, unknown>[]> {
  await nextTurnOfTheLoop()
  return world.logged.filter(({ msg }) => msg === 'answered')
}

const breakProjects = (world: World) => meddle(world, 'alter table projects rename to secret_table_name')
const mendProjects = (world: World) => meddle(world, 'alter table secret_table_name rename to projects')

for (const engine of ENGINES) {
  describe(`the log (${engine})`, () => {
    it('has a line for each answer, with the id of its request', async () => {
      await using world = await openWorld(engine)
      const replies: Reply[] = [
        await world.api.post('/tasks', { title: 'Write it' }),
        await world.api.get('/me'),
        await world.api.get('/tasks/x'),
        await world.api.get('/nowhere'),
        await world.api.send('HEAD', '/tasks'),
        await world.anonymous.get('/tasks'),
        await world.anonymous.get('//healthz'),
        await world.api.send('POST', '/tasks', { raw: '{' }),
        await world.api.get('/tasks?q=svc_pat_'),
      ]

      const lines = await answered(world)

      assert.deepEqual(
        lines.map(({ reqId, status }) => ({ reqId, status })),
        replies.map(({ headers, status }) => ({ reqId: headers['x-request-id'], status })),
      )
    })

    it('has a line for an answer to a URL that cannot be read', async () => {
      await using world = await openWorld(engine)

      const reply = await world.api.get('/tasks/%zz')

      assert.equal(reply.status, 400)
      assert.deepEqual(
        (await answered(world)).map(({ reqId, status }) => ({ reqId, status })),
        [{ reqId: reply.headers['x-request-id'], status: 400 }],
      )
    })

    it('tells of an answer the method, the route, the status, the time, the account and the token by their ids', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask())
      const tokenId = (await world.api.get('/me')).body.token.id
      world.logged.length = 0

      await world.api.get(`/tasks/${task.id}`)

      const [line] = await answered(world)
      assert.partialDeepStrictEqual(line, {
        method: 'GET',
        route: '/v1/tasks/:id',
        status: 200,
        account: world.account.id,
        token: tokenId,
      })
      assert.equal(typeof line?.ms, 'number')
    })

    it('tells what went well as debug and what was refused or failed as info, which has an error line of its own', async () => {
      await using world = await openWorld(engine)
      await world.api.get('/me')
      await world.api.get('/tasks?limit=0')
      await breakProjects(world)
      await world.api.get('/projects')
      await mendProjects(world)

      assert.deepEqual(
        (await answered(world)).map(({ level }) => LEVELS[level as number]),
        ['debug', 'info', 'info'],
      )
      assert.equal(world.logged.filter(({ level }) => LEVELS[level as number] === 'error').length, 1)
    })

    it('leaves out, at the level info, what went well', async () => {
      await using world = await openWorld(engine, { logLevel: 'info' })
      await world.api.get('/me')
      await world.api.get('/tasks?limit=0')

      assert.deepEqual(
        (await answered(world)).map(({ status }) => status),
        [400],
      )
    })

    it('never holds a token, a header, a body or a URL, whatever the answer', async () => {
      await using world = await openWorld(engine, { logLevel: 'trace' })
      const token = world.api.token as string
      const secret = 'Surprise-Party'
      const task = await world.given(aTask({ title: secret, notes: secret }))
      const headers = { 'idempotency-key': secret, 'x-forwarded-for': secret, cookie: secret, referer: secret, 'user-agent': secret }
      const basic = { authorization: `Basic ${secret}` }

      await world.api.get(`/tasks?q=${secret}`, headers)
      await world.api.get(`/tasks?${secret}=1`)
      await world.api.get(`/tasks/${secret}`)
      await world.api.get(`/${secret}`)
      await world.api.get(`/%zz${secret}`)
      await world.api.get(`/tasks?token=${token}`)
      await world.api.get(`/tasks/${token}`)
      await world.api.get(`/%zz/${token}`)
      await world.api.get(`//${token}`)
      await world.api.post('/tasks', { title: secret }, headers)
      await world.api.post('/tasks', { title: 'Other' }, headers)
      await world.api.post('/tasks', { [secret]: secret })
      await world.api.send('POST', '/tasks', { raw: `{"title": "${secret}", "title": 1` })
      await world.api.send('POST', '/tasks', { raw: JSON.stringify({ title: secret.repeat(30_000) }) })
      await world.api.patch(`/tasks/${task.id}`, { notes: secret }, { 'if-match': '"99"' })
      await world.anonymous.get('/me', { authorization: `Bearer ${token}x` })
      await world.anonymous.get('/me', basic)
      await breakProjects(world)
      await world.api.get(`/projects?cursor=${secret}`, headers)
      await world.api.post('/projects', { name: secret }, headers)
      await mendProjects(world)

      assert.ok((await answered(world)).length >= 15)
      const log = JSON.stringify(world.logged)
      assert.ok(!log.includes(secret), log)
      assert.ok(!log.includes('svc_pat_'), log)
      assert.ok(!log.includes(token.slice(8)), log)
    })

    it('holds nothing of a request that was cut off', async () => {
      await using world = await openWorld(engine, { logLevel: 'trace' })
      const { port } = new URL(world.service.url)
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(
        `POST /v1/tasks?q=Surprise-Party HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.api.token}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n',
      )
      await once(socket, 'data')

      socket.write('{"title": "Surprise-Party')
      socket.resetAndDestroy()
      for (let turn = 0; turn < 20; turn++) await world.api.get('/me')

      assert.ok(!/Surprise-Party|svc_pat_/.test(JSON.stringify(world.logged)), JSON.stringify(world.logged))
    })

    it('tells an unexpected error with its request, while the answer tells nothing of it', async () => {
      await using world = await openWorld(engine)
      await breakProjects(world)

      const replies = [await world.api.get('/projects'), await world.api.post('/projects', { name: 'House move' })]
      await mendProjects(world)

      for (const reply of replies) {
        assertProblem(reply, 500, 'internal_error')
        assert.ok(!/projects |SQL|no such table|relation|\.ts|secret/.test(reply.text), reply.text)
        const lines = world.logged.filter(({ err, reqId }) => err !== undefined && reqId === reply.headers['x-request-id'])
        assert.equal(lines.length, 1)
        const [{ level, err }] = lines as [{ level: number; err: { message: string; stack: string } }]
        assert.equal(LEVELS[level], 'error')
        assert.match(err.message, /no such table|does not exist/)
        assert.match(err.stack, /at .*\.ts/)
      }
      assert.equal((await world.api.get('/projects')).status, 200)
    })

    it('tells no expected failure as an error', async () => {
      await using world = await openWorld(engine)
      await world.api.get(`/tasks/${UNKNOWN_ID}`)
      await world.api.post('/tasks', {})
      await world.anonymous.get('/me')
      await nextTurnOfTheLoop()

      assert.deepEqual(
        world.logged.filter(({ level }) => (level as number) >= 40),
        [],
      )
    })
  })
}
