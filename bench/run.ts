import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figures, load, onCore, SERVER_CORE, tools } from './load.ts'

/**
 * How near reading one task comes to a bare HTTP server that answers with the same bytes: both in one run, in turn, medians of the rounds.
 *
 * Fivetab is complete: token looked up, limits counted, input checked.
 */

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } } })
const ROUNDS = 5
const CONNECTIONS = 32
const SECONDS = values.quick ? 2 : 8
const WARM_UP_SECONDS = 2

const root = join(import.meta.dirname, '..')
const dataDir = mkdtempSync(join(tmpdir(), 'fivetab-bench-'))
const environment = { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info' }
const children: ChildProcess[] = []

function fivetab(...words: string[]): string {
  return execFileSync(process.execPath, [join(root, 'packages/server/fivetab.js'), ...words], { env: environment, encoding: 'utf8' })
}

/** Starts a server and answers with the address that it prints. */
function startServer(script: string, words: string[], input = ''): Promise<string> {
  const [program = '', ...rest] = onCore(SERVER_CORE, [process.execPath, join(root, script), ...words])
  const child = spawn(program, rest, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
      if (address !== null) resolve(address[0])
    })
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)))
  })
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
}

function medians(rounds: readonly Figures[]): Figures {
  return {
    requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
    p50Ms: median(rounds.map((round) => round.p50Ms)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
  }
}

try {
  fivetab('plan', 'set', 'bench', '--token-per-minute', '1000000000', '--account-per-minute', '1000000000')
  fivetab('account', 'create', '--email', 'bench@example.org', '--plan', 'bench')
  const made = fivetab(
    'token',
    'create',
    '--account',
    'bench@example.org',
    '--name',
    'bench',
    '--scopes',
    'tasks:read,tasks:write',
    '--expires-in',
    '1d',
    '--json',
  )
  const { token } = JSON.parse(made) as { token: string }
  const service = await startServer('packages/server/fivetab.js', ['serve'])
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const task = await fetch(`${service}/v1/tasks`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title: 'Measure', notes: 'x'.repeat(200) }),
  })
  const { id } = (await task.json()) as { id: string }
  const path = `/v1/tasks/${id}`

  const answer = await fetch(service + path, { headers })
  const body = await answer.text()
  const kept = Object.fromEntries([...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)))
  const bare = await startServer('bench/bare.ts', [], JSON.stringify({ headers: kept, body }))
  assert.equal(await (await fetch(bare + path)).text(), body)

  const contestants = { bare: bare + path, fivetab: service + path }
  const rounds: Record<keyof typeof contestants, Figures[]> = { bare: [], fivetab: [] }
  for (const url of Object.values(contestants)) await load(url, token, CONNECTIONS, WARM_UP_SECONDS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of ['bare', 'fivetab'] as const) rounds[name].push(await load(contestants[name], token, CONNECTIONS, SECONDS))
  }

  const results = { bare: medians(rounds.bare), fivetab: medians(rounds.fivetab) }
  const ratio = median(rounds.fivetab.map((one, index) => one.requestsPerSecond / (rounds.bare[index] as Figures).requestsPerSecond))
  console.log(`GET one task, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each in turn, medians (${tools}):`)
  for (const [name, { requestsPerSecond, p50Ms, p99Ms }] of Object.entries(results)) {
    console.log(
      `  ${name.padEnd(8)} ${Math.round(requestsPerSecond).toString().padStart(7)} requests/s   p50 ${p50Ms.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms`,
    )
  }
  console.log(`  ratio    ${ratio.toFixed(3)} of bare`)
  if (values.json)
    writeFileSync(
      values.json,
      `${JSON.stringify({ work: 'GET one task', connections: CONNECTIONS, seconds: SECONDS, tools, rounds, results, ratio }, null, 2)}\n`,
    )
} finally {
  for (const child of children) child.removeAllListeners('exit').kill('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
}
