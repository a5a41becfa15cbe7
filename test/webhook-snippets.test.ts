import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { signatureHeaders } from '../packages/server/outgoing/signature.ts'
import { aTask, type Resource } from './builders.ts'
import { cannot } from './cannot.ts'
import type { Client } from './client.ts'
import { aFolder, type Folder } from './folder.ts'
import { aWebhook, deliveriesTo, REACHABLE } from './receiver.ts'
import { openWorld, type World } from './world.ts'

/** The receivers of docs/webhooks.md, each as it stands there, in a process of its own. */

const ROOT = join(import.meta.dirname, '..')
const PAGE = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8')

interface Language {
  name: string
  /** Of its code block in the page. */
  fence: string
  file: string
  tool: string
  /** Makes the file ready to run, and answers with the command that runs it. */
  prepare(folder: string, file: string, tool: string): readonly [command: string, ...words: string[]]
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    fence: 'ts',
    file: 'receiver.mts',
    tool: process.execPath,
    prepare: (folder, file) => {
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
      return [process.execPath, file]
    },
  },
  { name: 'Python', fence: 'python', file: 'receiver.py', tool: 'python3', prepare: (_folder, file) => ['python3', file] },
  {
    name: 'Go',
    fence: 'go',
    file: 'receiver.go',
    tool: 'go',
    prepare: (folder, file, tool) => {
      const program = join(folder, 'receiver')
      execFileSync(tool, ['build', '-o', program, file], { cwd: folder, env: { ...process.env, GO111MODULE: 'off', GOFLAGS: '' } })
      return [program]
    },
  },
]

/** The one code block of this language in the page that listens. */
function snippetIn(fence: string): string {
  const blocks = [...PAGE.matchAll(new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code as string)
  assert.equal(blocks.length, 1, `${blocks.length} blocks of ${fence}`)
  return blocks[0] as string
}

/** A port that nobody listens at. */
async function aFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

interface Running extends AsyncDisposable {
  /** The next line that it prints. */
  line(): Promise<string>
}

async function run([command, ...words]: readonly [string, ...string[]], environment: Record<string, string>): Promise<Running> {
  const child = spawn(command, words, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => String((await lines.next()).value)
  assert.equal(await line(), 'ready')
  return {
    line,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

interface Scene extends AsyncDisposable {
  world: World
  api: Client
  webhook: Resource
  receiver: Running
  /** Sends it an event by hand; answers with the status. */
  send(request: {
    sequence?: number
    ageSeconds?: number
    secret?: string
    sent?: string
    headers?: Record<string, string>
  }): Promise<number>
}

/** A world in which it is now, as it is for the receiver, which is told of everything. */
async function openScene(command: readonly [string, ...string[]]): Promise<Scene> {
  const world = await openWorld('sqlite', { environment: REACHABLE })
  world.advance(Date.now() - world.clock())
  const api = await world.clientWith(['webhooks:manage', 'tasks:write'])
  const port = await aFreePort()
  const webhook = await aWebhook({ url: `http://127.0.0.1:${port}/hook` })(api)
  const receiver = await run(command, { PORT: String(port), SECRET: webhook.secret })
  return {
    world,
    api,
    webhook,
    receiver,
    send: async ({ sequence = 7, ageSeconds = 0, secret = webhook.secret, sent, headers = {} }) => {
      const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds
      const body = JSON.stringify({ type: 'task.created', sequence, data: { title: 'Überweisung' } })
      const signature = signatureHeaders({ id: `event ${sequence}`, timestampSeconds, body, secrets: [secret] })
      return (await fetch(webhook.url, { method: 'POST', body: sent ?? body, headers: { ...signature, ...headers } })).status
    },
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** Has a task be created, and answers with what came of telling the receiver. */
async function deliveryOf({ world, api, webhook }: Scene): Promise<Resource> {
  await aTask()(api)
  await world.service.timers.deliver()
  return (await deliveriesTo(api, webhook)).at(-1)
}

for (const { name, fence, file, tool, prepare } of LANGUAGES) {
  describe(`the receiver in ${name}`, { timeout: 180_000 }, () => {
    let folder: Folder
    let command: readonly [string, ...string[]] | undefined

    before(() => {
      folder = aFolder()
      if (spawnSync(tool, ['version']).error !== undefined) return
      writeFileSync(join(folder.path, file), snippetIn(fence))
      command = prepare(folder.path, join(folder.path, file), tool)
    })
    after(() => folder[Symbol.dispose]())

    const with_ = (guarantee: string, test: (scene: Scene) => Promise<void>) =>
      it(guarantee, async (t) => {
        if (command === undefined) return cannot(t, `there is no ${tool} here`)
        await using scene = await openScene(command)
        await test(scene)
      })

    with_('takes what it is sent', async (scene) => {
      const delivery = await deliveryOf(scene)

      assert.partialDeepStrictEqual(delivery, { state: 'succeeded', attempts: [{ response: { status: 204 } }] })
      assert.equal(await scene.receiver.line(), 'task.created 1')
    })

    with_('takes a test', async (scene) => {
      await scene.api.post(`/webhooks/${scene.webhook.id}/test`)
      await scene.world.service.timers.deliver()

      assert.partialDeepStrictEqual(await deliveriesTo(scene.api, scene.webhook), [{ state: 'succeeded' }])
      assert.match(await scene.receiver.line(), /^webhook\.test (null|None)$/)
    })

    with_('takes what is signed by two secrets when it knows the one before, and nothing once it is neither', async (scene) => {
      const rotate = () => scene.api.post(`/webhooks/${scene.webhook.id}/rotate_secret`)
      await rotate()
      const once = await deliveryOf(scene)
      await rotate()
      const twice = await deliveryOf(scene)

      assert.equal(once.state, 'succeeded')
      assert.partialDeepStrictEqual(twice, { state: 'pending', attempts: [{ response: { status: 401 } }] })
    })

    with_('refuses what is old, or of a time to come', async ({ send }) => {
      const statuses: number[] = []
      for (const ageSeconds of [-360, -240, 240, 360]) statuses.push(await send({ ageSeconds }))

      assert.deepEqual(statuses, [401, 204, 204, 401])
    })

    with_('refuses what was altered, or is not signed', async ({ send, webhook }) => {
      const forged = [
        { sent: '{"type": "task.deleted", "sequence": 7}' },
        { headers: { 'webhook-id': 'event 8' } },
        { headers: { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 1) } },
        { headers: { 'webhook-signature': '' } },
        { headers: { 'webhook-signature': 'v1,' } },
        { headers: { 'webhook-signature': 'v1 v1,é v2,x' } },
        { headers: { 'webhook-timestamp': 'now' } },
        { secret: `whsec_${Buffer.alloc(32).toString('base64')}` },
      ]

      const statuses: number[] = []
      for (const request of forged) statuses.push(await send(request))
      statuses.push((await fetch(webhook.url, { method: 'POST', body: '{}' })).status)

      assert.deepEqual(
        statuses,
        statuses.map(() => 401),
      )
      assert.equal(await send({}), 204)
    })

    with_('takes what comes twice, and works on it once', async ({ send, receiver }) => {
      const statuses: number[] = []
      for (const sequence of [7, 7, 8]) statuses.push(await send({ sequence }))

      assert.deepEqual(statuses, [204, 204, 204])
      assert.deepEqual([await receiver.line(), await receiver.line()], ['task.created 7', 'task.created 8'])
    })
  })
}
