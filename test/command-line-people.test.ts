import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { openPasswords } from '../packages/server/actions/passwords.ts'
import { withEngine } from '../packages/server/store/open.ts'
import { credentialsOf } from '../packages/server/store/passwords.ts'
import { aDatabase, contentsOf, type Database, ENGINES, type EngineName } from './database.ts'
import { FIVETAB, fivetab, fivetabJson, type Outcome } from './fivetab.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const PASSWORD = 'correct horse battery'

const around = { clock: () => NOW }

async function homeOfAda(engine: EngineName): Promise<Database> {
  const home = await aDatabase(engine)
  await fivetabJson(home, 'account create --email ada@example.org')
  return home
}

function assertWrongUse({ code, out, err }: Outcome, said: RegExp): void {
  assert.deepEqual({ code, out }, { code: 2, out: '' }, err)
  assert.match(err, said)
}

/** Whether this is the password of ada@example.org. */
async function isPassword(home: Database, password: string): Promise<boolean> {
  const found = await withEngine(home.place, (engine) => credentialsOf(engine, 'ada@example.org'))
  return openPasswords(randomBytes).verify(found?.hash ?? null, password)
}

for (const engine of ENGINES) {
  describe(`fivetab account invite (${engine})`, () => {
    it('prints a link that is valid for a week, and says so', async () => {
      await using home = await homeOfAda(engine)

      const { code, out, err } = await fivetab(home, 'account invite', around)

      assert.deepEqual({ code, err }, { code: 0, err: '' })
      assert.match(out, /^http:\/\/127\.0\.0\.1:3000\/sign-up#link=[\w-]{43}\n/)
      assert.match(out, /2026-11-28T12:00:00\.000Z/)
    })

    it('takes an address, a plan and a lifetime, and begins the link with BASE_URL', async () => {
      await using home = await homeOfAda(engine)
      const environment = { BASE_URL: 'https://tasks.example.org/' }

      const { link, ...rest } = await fivetabJson(home, 'account invite --email Bob@example.org --plan pro --expires-in 90d', {
        ...around,
        environment,
      })

      assert.match(link, /^https:\/\/tasks\.example\.org\/sign-up#link=[\w-]{43}$/)
      assert.deepEqual(rest, { kind: 'invitation', email: 'bob@example.org', plan: 'pro', expires_at: '2027-02-19T12:00:00.000Z' })
      assert.ok(!JSON.stringify(await contentsOf(home)).includes(link.split('=')[1]))
    })

    it('refuses what cannot be', async () => {
      await using home = await homeOfAda(engine)

      assertWrongUse(await fivetab(home, 'account invite --email ada@example.org', around), /There is an account with the address/)
      assertWrongUse(await fivetab(home, 'account invite --email ada', around), /is no e-mail address/)
      assertWrongUse(await fivetab(home, 'account invite --plan gold', around), /There is no plan "gold"/)
      assertWrongUse(await fivetab(home, 'account invite --expires-in 91d', around), /1 hour to 90 days/)
      assertWrongUse(await fivetab(home, 'account invite', { ...around, environment: { PORT: '0' } }), /set BASE_URL/)
    })

    it('says so where invitations are of no use', async () => {
      await using home = await homeOfAda(engine)

      const { code, err } = await fivetab(home, 'account invite', { ...around, environment: { SIGN_UP: 'closed' } })

      assert.equal(code, 0)
      assert.match(err, /SIGN_UP is closed/)
    })
  })

  describe(`fivetab account reset-link (${engine})`, () => {
    it('prints a link that is valid for an hour, or for as long as is said', async () => {
      await using home = await homeOfAda(engine)

      const usual = await fivetabJson(home, 'account reset-link ADA@example.org', around)
      const longer = await fivetabJson(home, 'account reset-link ada@example.org --expires-in 7d', around)

      assert.match(usual.link, /^http:\/\/127\.0\.0\.1:3000\/reset-password#link=[\w-]{43}$/)
      assert.partialDeepStrictEqual(usual, { kind: 'password_reset', email: 'ada@example.org', expires_at: '2026-11-21T13:00:00.000Z' })
      assert.equal(longer.expires_at, '2026-11-28T12:00:00.000Z')
    })

    it('refuses what cannot be', async () => {
      await using home = await homeOfAda(engine)

      assertWrongUse(await fivetab(home, 'account reset-link bob@example.org', around), /There is no account/)
      assertWrongUse(await fivetab(home, 'account reset-link ada@example.org --expires-in 8d', around), /1 minute to 7 days/)
    })
  })

  describe(`fivetab account set-password (${engine})`, () => {
    it('sets the password that it is given, without repeating it', async () => {
      await using home = await homeOfAda(engine)
      const readPassword = async () => PASSWORD
      const before = await fivetabJson(home, 'account show ada@example.org', around)

      const { code, out, err } = await fivetab(home, 'account set-password Ada@example.org', { ...around, readPassword })
      const after = await fivetabJson(home, 'account set-password ada@example.org', { ...around, readPassword })

      assert.deepEqual({ code, err }, { code: 0, err: '' })
      assert.doesNotMatch(out, /horse/)
      assert.deepEqual([before.has_password, after.has_password], [false, true])
      assert.equal(await isPassword(home, PASSWORD), true)
    })

    it('refuses one that is too short, and any for nobody before it asks', async () => {
      await using home = await homeOfAda(engine)
      const readPassword = async () => 'short'

      assertWrongUse(await fivetab(home, 'account set-password ada@example.org', { ...around, readPassword }), /at least 10 characters/)
      assertWrongUse(await fivetab(home, 'account set-password bob@example.org', around), /There is no account/)
      assert.equal(await isPassword(home, 'short'), false)
    })
  })
}

describe('a password on the standard input', () => {
  /** Runs the command in a process of its own, with this on its standard input. */
  async function setPassword(home: Database, input: string): Promise<{ code: number; err: string }> {
    const child = spawn(process.execPath, [FIVETAB, 'account', 'set-password', 'ada@example.org'], { env: home.environment })
    child.stdin.end(input)
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close'), text(child.stdout)])
    return { code, err }
  }

  it('is its first line as it stands', async () => {
    await using home = await homeOfAda('sqlite')

    assert.deepEqual(await setPassword(home, '  Größe & more \r\nand another line\n'), { code: 0, err: '' })

    assert.equal(await isPassword(home, '  Größe & more '), true)
  })

  it('has to be there', async () => {
    await using home = await homeOfAda('sqlite')

    assert.deepEqual(await setPassword(home, ''), { code: 2, err: 'No password was given.\n' })
  })
})
