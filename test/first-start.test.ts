import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { isTokenValue } from '@fivetab/domain/token.ts'
import { firstStartHint } from '../packages/server/cli/first-start.ts'
import { openStore } from '../packages/server/store/open.ts'
import { aDatabase, type Database, ENGINES } from './database.ts'
import { fivetab, fivetabProcess, serve } from './fivetab.ts'
import { openWorld } from './world.ts'

async function hintFor({ place }: Database): Promise<string | null> {
  const store = await openStore(place, Date.now, randomBytes)
  try {
    return await firstStartHint(store)
  } finally {
    await store.close()
  }
}

/** Serves until the service answers, and returns the lines for a person that it printed. */
async function linesOfAStart(home: Database): Promise<string[]> {
  await using service = await serve(home)
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  assert.deepEqual(await service.end('SIGTERM'), [0, null])
  return service.printed.filter((line) => !line.startsWith('{'))
}

for (const engine of ENGINES) {
  describe(`the first start (${engine})`, () => {
    it('prints one line with the command that makes the first account and token', async () => {
      await using home = await aDatabase(engine)

      const lines = await linesOfAStart(home)

      assert.deepEqual(lines, [await hintFor(home)])
    })

    it('prints a command that works as it stands', async () => {
      await using home = await aDatabase(engine)
      const hint = (await hintFor(home)) ?? ''

      const [, ...commands] = hint.split('npx fivetab ')
      const outcomes = []
      for (const command of commands) outcomes.push(await fivetab(home, command.replace('&&', '').trim()))

      assert.deepEqual(
        outcomes.map(({ code }) => code),
        [0, 0],
        outcomes.map(({ err }) => err).join('\n'),
      )
      assert.ok(isTokenValue(outcomes[1]?.out.split('\n')[0] ?? ''))
    })

    it('is the only one that prints it', async () => {
      await using home = await aDatabase(engine)
      await fivetab(home, 'account create --email ada@example.org')

      assert.equal(await hintFor(home), null)
      assert.deepEqual(await linesOfAStart(home), [])
    })

    it('tells where the data is, and no password', async () => {
      await using home = await aDatabase(engine)
      await using service = await serve(home)

      const { databaseUrl } = home.place
      const [where, secret] = databaseUrl === null ? [home.dataDir, null] : [new URL(databaseUrl).host, new URL(databaseUrl).password]
      assert.ok(service.printed.some((line) => line.includes(where)))
      if (secret) assert.ok(!service.printed.join().includes(secret))
    })
  })

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
  runInNewContext(readFileSync(join(import.meta.dirname, '../scripts/require-node.js'), 'utf8'), {
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

  it('comes before anything that an old Node cannot read', async (t) => {
    const node = oldNode()
    if (node === undefined) {
      assert.equal(process.env.CI, undefined, 'where tests are run for everyone, there has to be an older Node')
      return t.skip('there is no older Node here')
    }
    await using home = await aDatabase('sqlite')

    const { code, out, err } = await fivetabProcess(home, 'doctor', { node })

    assert.deepEqual({ code, out }, { code: 1, out: '' })
    assert.match(err, /^Fivetab needs Node 26 or newer/)
    assert.doesNotMatch(err, /\n {4}at /)
  })
})
