import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { isTokenValue } from '@fivetab/domain/token.ts'
import { openPasswords } from '../packages/server/actions/passwords.ts'
import { signUp } from '../packages/server/actions/people.ts'
import { firstStartHint } from '../packages/server/cli/first-start.ts'
import type { Environment } from '../packages/server/settings.ts'
import { openStore } from '../packages/server/store/open.ts'
import { aDatabase, type Database, ENGINES } from './database.ts'
import { fivetab, fivetabProcess, serve } from './fivetab.ts'
import { aSignUp, aVisitor } from './people.ts'
import { openWorld } from './world.ts'

/** What a start tells, line by line, of a service that is opened at `baseUrl`. */
async function hintFor({ place }: Database, baseUrl = 'https://tasks.example.org'): Promise<string[]> {
  const store = await openStore(place, Date.now, randomBytes)
  try {
    return await firstStartHint({ store, clock: Date.now, random: randomBytes }, baseUrl)
  } finally {
    await store.close()
  }
}

/** Serves until the service answers, and returns the lines for a person that it printed. */
async function linesOfAStart(home: Database, environment: Environment = {}): Promise<{ url: string; lines: string[] }> {
  await using service = await serve(home, { environment })
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  assert.deepEqual(await service.end('SIGTERM'), [0, null])
  return { url: service.url, lines: service.printed.filter((line) => !line.startsWith('{')) }
}

const LINK = /[\w-]{43}(?=\s|$)/

const withoutSecret = (lines: readonly string[]) => lines.map((line) => line.replace(LINK, 'VALUE'))

/** What works of a link that a line ends with, for a service at `place`. */
async function signUpBy({ place }: Database, line = '', email = 'ada@example.org') {
  const store = await openStore(place, Date.now, randomBytes)
  try {
    const gate = { store, clock: Date.now, random: randomBytes, passwords: openPasswords(randomBytes), signUp: 'closed' as const }
    const input = aSignUp({ email, link: LINK.exec(line)?.[0] ?? null })
    return await signUp(gate, aVisitor(), input)
  } finally {
    await store.close()
  }
}

for (const engine of ENGINES) {
  describe(`the first start (${engine})`, () => {
    it('prints two lines: the link that makes the first account, and the command that does without a browser', async () => {
      await using home = await aDatabase(engine)

      const { url, lines } = await linesOfAStart(home)

      assert.equal(lines.length, 2)
      assert.ok(lines[0]?.includes(` ${url}/sign-up#link=`))
      assert.deepEqual(withoutSecret(lines), withoutSecret(await hintFor(home, url)))
    })

    it('prints a link that begins with BASE_URL, and makes one account', async () => {
      await using home = await aDatabase(engine)
      const { lines } = await linesOfAStart(home, { BASE_URL: 'https://tasks.example.org' })

      assert.match(lines[0] ?? '', / https:\/\/tasks\.example\.org\/sign-up#link=[\w-]{43}$/)
      await signUpBy(home, lines[0])
      await assert.rejects(signUpBy(home, lines[0], 'bob@example.org'), { code: 'sign_up_refused' })
    })

    it('prints a command that works as it stands', async () => {
      await using home = await aDatabase(engine)
      const [, hint = ''] = await hintFor(home)

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

    it('is the only one that prints them', async () => {
      await using home = await aDatabase(engine)
      await fivetab(home, 'account create --email ada@example.org')

      assert.deepEqual(await hintFor(home), [])
      assert.deepEqual((await linesOfAStart(home)).lines, [])
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

      assert.deepEqual(await firstStartHint(world.operator, 'https://tasks.example.org'), [])
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
