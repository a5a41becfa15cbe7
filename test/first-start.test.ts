import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { isTokenValue } from '@fivetab/domain/token.ts'
import { runCommandLine } from '../packages/server/cli/program.ts'
import { firstStartHint } from '../packages/server/service.ts'
import { openStore } from '../packages/server/store/open.ts'
import { ENGINES, openWorld } from './world.ts'

const ROOT = join(import.meta.dirname, '..')
const FIVETAB = join(ROOT, 'packages/server/fivetab.js')

interface Folder extends Disposable {
  dataDir: string
}

function aFolder(): Folder {
  const dataDir = mkdtempSync(join(tmpdir(), 'fivetab-first-'))
  return { dataDir, [Symbol.dispose]: () => rmSync(dataDir, { recursive: true, force: true }) }
}

async function hintFor(dataDir: string): Promise<string | null> {
  const store = await openStore(dataDir, Date.now, randomBytes)
  try {
    return await firstStartHint(store)
  } finally {
    await store.close()
  }
}

async function fivetab(dataDir: string, words: readonly string[]): Promise<{ code: number; said: string }> {
  const said: string[] = []
  const code = await runCommandLine(words, {
    environment: { DATA_DIR: dataDir },
    clock: Date.now,
    print: (line) => said.push(line),
    printError: (line) => said.push(line),
    startService: () => assert.fail('Nobody asked for the service.'),
  })
  return { code, said: said.join('\n') }
}

const READY = /Fivetab is ready at (http:[\w.:/]+\d)/

/** Serves until the service answers, and returns the lines that it printed. */
async function linesOfAStart(dataDir: string): Promise<string[]> {
  const child = spawn(process.execPath, [FIVETAB, 'serve'], { env: { DATA_DIR: dataDir, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line)
      const url = READY.exec(line)?.[1]
      if (url !== undefined) {
        assert.equal((await fetch(`${url}/healthz`)).status, 200)
        child.kill('SIGTERM')
      }
    }
  } finally {
    child.kill('SIGKILL')
  }
  return lines
}

describe('the first start', () => {
  it('prints one line with the command that makes the first account and token', async () => {
    using folder = aFolder()

    const lines = await linesOfAStart(folder.dataDir)

    assert.deepEqual(
      lines.filter((line) => !line.startsWith('{')),
      [await hintFor(folder.dataDir)],
    )
  })

  it('prints a command that works as it stands', async () => {
    using folder = aFolder()
    const hint = (await hintFor(folder.dataDir)) ?? ''

    const [, ...commands] = hint.split('npx fivetab ')
    const outcomes = []
    for (const command of commands) outcomes.push(await fivetab(folder.dataDir, command.replace('&&', '').trim().split(' ')))

    assert.deepEqual(
      outcomes.map(({ code }) => code),
      [0, 0],
      outcomes.map(({ said }) => said).join('\n'),
    )
    assert.ok(isTokenValue(outcomes[1]?.said.split('\n')[0] ?? ''))
  })

  it('is the only one that prints it', async () => {
    using folder = aFolder()
    await fivetab(folder.dataDir, ['account', 'create', '--email', 'ada@example.org'])

    assert.equal(await hintFor(folder.dataDir), null)
    const lines = await linesOfAStart(folder.dataDir)
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('{')),
      [],
    )
  })
})

for (const engine of ENGINES) {
  describe(`a service with an account (${engine})`, () => {
    it('has no advice to give', async () => {
      await using world = await openWorld(engine)

      assert.equal(await firstStartHint(world.service.store), null)
    })
  })
}

/** What the check of Node's version does on a Node of this version. */
function checkOn(version: string): { exitCode: number | null; said: string[] } {
  const said: string[] = []
  let exitCode: number | null = null
  runInNewContext(readFileSync(join(ROOT, 'scripts/require-node.js'), 'utf8'), {
    process: {
      version: `v${version}`,
      versions: { node: version },
      exit: (code: number) => {
        exitCode = code
      },
    },
    console: { error: (line: string) => said.push(line) },
  })
  return { exitCode, said }
}

/** A Node too old for this, should the system have one. */
function oldNode(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter((file) => existsSync(file))
    .find((file) => Number(/^v(\d+)/.exec(spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout)?.[1] ?? 99) < 26)
}

describe('the check of Node’s version', () => {
  for (const version of ['0.12.18', '20.20.2', '25.9.0']) {
    it(`refuses ${version}, and says what to do`, () => {
      const { exitCode, said } = checkOn(version)

      assert.equal(exitCode, 1)
      assert.equal(said.length, 1)
      assert.match(
        said[0] ?? '',
        new RegExp(`Fivetab needs Node 26 or newer, and this is v${version.replaceAll('.', '\\.')}\\. Run "npm ci"`),
      )
    })
  }

  for (const version of ['26.0.0', '26.10.0', '30.1.2']) {
    it(`lets ${version} pass in silence`, () => {
      assert.deepEqual(checkOn(version), { exitCode: null, said: [] })
    })
  }

  it('comes before anything that an old Node cannot read', (t) => {
    const node = oldNode()
    if (node === undefined) return t.skip('there is no older Node here')

    const { status, stdout, stderr } = spawnSync(node, [FIVETAB, 'doctor'], { encoding: 'utf8' })

    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
    assert.match(stderr, /^Fivetab needs Node 26 or newer/)
    assert.doesNotMatch(stderr, /\n {4}at /)
  })
})
