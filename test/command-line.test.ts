import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { isTokenValue } from '@fivetab/domain/token.ts'
import { pino } from 'pino'
import type { Context } from '../packages/server/cli/context.ts'
import { startService } from '../packages/server/service.ts'
import type { Environment, Settings } from '../packages/server/settings.ts'
import { type Resource, UNKNOWN_ID } from './builders.ts'
import { aDatabase, contentsOf, type Database, ENGINES, type EngineName } from './database.ts'
import { fivetab, fivetabJson, type Outcome } from './fivetab.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')

interface Shell extends Database {
  run(line: string, more?: Partial<Context>): Promise<Outcome>
  /** Runs it with `--json`, and answers with the value. */
  json(line: string): Promise<Resource>
}

/** A command line with a database of its own. Words are parted by spaces. */
async function openShell(engine: EngineName, environment: Environment = {}): Promise<Shell> {
  const home = await aDatabase(engine)
  const around = { clock: () => NOW, environment }
  return {
    ...home,
    run: (line, more = {}) => fivetab(home, line, { ...around, ...more }),
    json: (line) => fivetabJson(home, line, around),
  }
}

function assertDone({ code, out, err }: Outcome, ...said: RegExp[]): void {
  assert.deepEqual({ code, err }, { code: 0, err: '' })
  for (const pattern of said) assert.match(out, pattern)
}

function assertWrongUse({ code, out, err }: Outcome, ...said: RegExp[]): void {
  assert.deepEqual({ code, out }, { code: 2, out: '' }, err)
  for (const pattern of said) assert.match(err, pattern)
}

const ADA = 'account create --email ada@example.org'
const TOKEN = 'token create --account ada@example.org --name laptop --expires-in 30d'

for (const engine of ENGINES) {
  describe(`fivetab account (${engine})`, () => {
    it('creates an account on the plan unlimited', async () => {
      await using shell = await openShell(engine)

      const made = await shell.json('account create --email Ada@Example.org')

      assert.match(made.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      const { id: _, ...rest } = made
      assert.deepEqual(rest, {
        email: 'ada@example.org',
        name: null,
        time_zone: 'UTC',
        plan: 'unlimited',
        api_access: true,
        vault: false,
        active_tasks: 0,
        has_password: false,
        created_at: '2026-11-21T12:00:00.000Z',
      })
    })

    it('creates an account with a name and on a plan', async () => {
      await using shell = await openShell(engine)

      assertDone(await shell.run(`${ADA} --name Ada --plan pro`), /ada@example\.org/, /plan pro/)

      assert.partialDeepStrictEqual(await shell.json('account show ada@example.org'), { name: 'Ada', plan: 'pro' })
    })

    it('lists all accounts, to a person and in JSON', async () => {
      await using shell = await openShell(engine)
      const made = [await shell.json(ADA), await shell.json('account create --email bob@example.org')]

      assert.deepEqual(
        (await shell.json('account list')).sort((a: { email: string }, b: { email: string }) => a.email.localeCompare(b.email)),
        made,
      )
      assertDone(await shell.run('account list'), /^EMAIL/, /^ada@example\.org/m, /^bob@example\.org/m)
    })

    it('shows one account by its address, in any case', async () => {
      await using shell = await openShell(engine)
      const made = await shell.json(ADA)

      assert.deepEqual(await shell.json('account show ADA@example.org'), made)
      assertDone(await shell.run('account show ada@example.org'), /unlimited/, new RegExp(made.id))
    })

    it('sets what it is told to, and nothing else', async () => {
      await using shell = await openShell(engine)
      const made = await shell.json(ADA)

      const change = 'account set ada@example.org --name Lovelace --plan free --time-zone Europe/Berlin --api-access off --vault on'
      const expected = { ...made, name: 'Lovelace', plan: 'free', time_zone: 'Europe/Berlin', api_access: false, vault: true }
      assert.deepEqual(await shell.json(change), expected)
      assert.deepEqual(await shell.json('account set ada@example.org'), expected)
      assert.deepEqual(await shell.json('account set ada@example.org --vault off'), { ...expected, vault: false })
      assert.deepEqual(await shell.json('account show ada@example.org'), { ...expected, vault: false })
    })

    it('deletes an account with its tokens', async () => {
      await using shell = await openShell(engine)
      const made = await shell.json(ADA)
      await shell.json(`${TOKEN} --scopes tasks:read`)

      assert.deepEqual(await shell.json('account delete ada@example.org'), { id: made.id, email: made.email, deleted: true })

      assert.deepEqual(await shell.json('account list'), [])
      assertWrongUse(await shell.run('token list --account ada@example.org'), /no account/)
    })
  })

  describe(`fivetab token (${engine})`, () => {
    it('creates a token and shows its value once', async () => {
      await using shell = await openShell(engine)
      await shell.json(ADA)

      const made = await shell.json(`${TOKEN} --scopes tasks:write,tasks:read`)

      assert.ok(isTokenValue(made.token))
      const { id, token, ...rest } = made
      assert.deepEqual(rest, {
        name: 'laptop',
        scopes: ['tasks:read', 'tasks:write'],
        created_at: '2026-11-21T12:00:00.000Z',
        expires_at: '2026-12-21T12:00:00.000Z',
        revoked_at: null,
        last_used_at: null,
      })
      assert.deepEqual(await shell.json('token list --account ada@example.org'), [{ id, ...rest }])
      assert.ok(!(await shell.run('token list --account ada@example.org')).out.includes(token))
    })

    it('prints the value first for a person', async () => {
      await using shell = await openShell(engine)
      await shell.json(ADA)

      const { out } = await shell.run(`${TOKEN} --scopes tasks:read`)

      assert.ok(isTokenValue(out.split('\n')[0] as string))
      assert.match(out, /not shown again.*2026-12-21T12:00:00\.000Z/)
    })

    const durations: [text: string, expiresAt: string][] = [
      ['2s', '2026-11-21T12:00:02.000Z'],
      ['15m', '2026-11-21T12:15:00.000Z'],
      ['12h', '2026-11-22T00:00:00.000Z'],
      ['400d', '2027-12-26T12:00:00.000Z'],
    ]
    for (const [text, expiresAt] of durations) {
      it(`takes ${text} as a lifetime`, async () => {
        await using shell = await openShell(engine)
        await shell.json(ADA)

        const made = await shell.json(`token create --account ada@example.org --name laptop --scopes tasks:read --expires-in ${text}`)

        assert.equal(made.expires_at, expiresAt)
      })
    }

    it('lists which tokens work, have expired and are revoked', async () => {
      await using shell = await openShell(engine)
      await shell.json(ADA)
      await shell.json('token create --account ada@example.org --name short --scopes tasks:read --expires-in 1h')
      const { id } = await shell.json('token create --account ada@example.org --name gone --scopes tasks:read --expires-in 9h')
      await shell.json('token create --account ada@example.org --name long --scopes tasks:read --expires-in 9h')
      await shell.json(`token revoke ${id}`)

      const listed = await shell.run('token list --account ada@example.org', { clock: () => NOW + 3_600_000 })

      assertDone(listed, /^ID/, / short +expired /, / gone +revoked /, / long +works /)
    })

    it('revokes a token, and leaves one that was revoked before as it is', async () => {
      await using shell = await openShell(engine)
      await shell.json(ADA)
      const { id } = await shell.json(`${TOKEN} --scopes tasks:read`)

      assert.partialDeepStrictEqual(await shell.json(`token revoke ${id}`), { id, revoked_at: '2026-11-21T12:00:00.000Z' })
      assertDone(await shell.run(`token revoke ${id.toUpperCase()}`, { clock: () => NOW + 1_000 }), /no longer works/)

      assert.partialDeepStrictEqual(await shell.json('token list --account ada@example.org'), [{ revoked_at: '2026-11-21T12:00:00.000Z' }])
    })
  })

  describe(`fivetab plan (${engine})`, () => {
    it('lists the three plans of a new database', async () => {
      await using shell = await openShell(engine)
      await shell.json(ADA)

      assert.deepEqual(await shell.json('plan list'), [
        { key: 'free', api_access: false, active_tasks: 100, token_per_minute: 300, account_per_minute: 1_200, writes_per_day: 20_000 },
        { key: 'pro', api_access: true, active_tasks: 5_000, token_per_minute: 300, account_per_minute: 1_200, writes_per_day: 20_000 },
        {
          key: 'unlimited',
          api_access: true,
          active_tasks: null,
          token_per_minute: 3_000,
          account_per_minute: 12_000,
          writes_per_day: 1_000_000,
        },
      ])
      assertDone(await shell.run('plan list'), /^PLAN/, /^unlimited +on +none +3000/m)
    })

    it('makes a plan that is new, starting from unlimited', async () => {
      await using shell = await openShell(engine)

      const made = await shell.json('plan set team --active-tasks 50')

      assert.deepEqual(made, {
        key: 'team',
        api_access: true,
        active_tasks: 50,
        token_per_minute: 3_000,
        account_per_minute: 12_000,
        writes_per_day: 1_000_000,
      })
    })

    it('changes of a plan what it is told to', async () => {
      await using shell = await openShell(engine)
      const numbers = '--active-tasks none --token-per-minute 1 --account-per-minute 2 --writes-per-day 3'

      assertDone(await shell.run(`plan set free --api-access on ${numbers}`), /^free +on +none +1 +2 +3$/m)

      assert.deepEqual((await shell.json('plan list'))[0], {
        key: 'free',
        api_access: true,
        active_tasks: null,
        token_per_minute: 1,
        account_per_minute: 2,
        writes_per_day: 3,
      })
    })
  })

  describe(`fivetab api (${engine})`, () => {
    it('turns the API off and on', async () => {
      await using shell = await openShell(engine)
      await shell.json(ADA)

      assert.deepEqual(await shell.json('api off'), { api: 'off' })
      assertDone(await shell.run('api on'), /The API is on/)
    })
  })

  describe(`a wrong command line (${engine})`, () => {
    const wrong: [line: string, ...said: RegExp[]][] = [
      ['', /Usage: fivetab/, /serve/, /doctor/],
      ['acount list', /unknown command 'acount'/, /account/],
      ['account', /Usage: fivetab account/, /create/],
      ['account lst', /unknown command 'lst'/, /list/],
      ['account create', /--email/],
      ['account create --email', /--email/],
      ['account create --email nobody', /"nobody" is no e-mail address/, /ada@example\.org/],
      ['account create --email eve@example.org --plan gold', /no plan "gold"/, /free, pro, unlimited/],
      ['account create --email ada@example.org', /ada@example\.org already/],
      ['account create --email ADA@EXAMPLE.ORG', /ada@example\.org already/],
      [`account create --email ${'e'.repeat(250)}@example.org`, /at most 254/],
      [`account create --email eve@example.org --name ${'e'.repeat(201)}`, /at most 200/],
      ['account create --email eve@example.org --nam Eve', /unknown option '--nam'/, /--name/],
      ['account show', /missing required argument 'email'/],
      ['account show eve@example.org', /no account with the address eve@example\.org/],
      ['account set eve@example.org --vault on', /no account with the address eve@example\.org/],
      ['account set ada@example.org --vault yes', /'yes' is invalid/, /on or off/],
      ['account set ada@example.org --api-access 1', /'1' is invalid/, /on or off/],
      ['account set ada@example.org --plan gold', /no plan "gold"/, /free, pro, unlimited/],
      ['account set ada@example.org --time-zone Berlin', /"Berlin" is no time zone/, /Europe\/Berlin/],
      ['account delete eve@example.org', /no account with the address eve@example\.org/],
      ['token create --name x --scopes tasks:read --expires-in 1d', /--account/],
      ['token create --account eve@example.org --name x --scopes tasks:read --expires-in 1d', /no account/],
      [`${TOKEN} --scopes tasks:read,tasks:admin`, /no scope "tasks:admin"/, new RegExp(SCOPE_NAMES.join(', '))],
      [`${TOKEN} --scopes ,`, /no scope ""/, /tasks:read/],
      [`${TOKEN} --scopes tasks:read --expires-in 30`, /'30' is invalid/, /2s, 15m, 12h or 30d/],
      [`${TOKEN} --scopes tasks:read --expires-in 0d`, /'0d' is invalid/, /30d/],
      [`${TOKEN} --scopes tasks:read --expires-in -5m`, /30d/],
      [`${TOKEN} --scopes tasks:read --expires-in 1w`, /'1w' is invalid/, /30d/],
      [`${TOKEN} --scopes tasks:read --expires-in 999999d`, /at most 100 years/],
      [`${TOKEN} --scopes tasks:read --name ${'x'.repeat(101)}`, /at most 100/],
      ['token list --account eve@example.org', /no account/],
      [`token revoke ${UNKNOWN_ID}`, /no token with the id/, /token list/],
      ['plan set', /missing required argument 'key'/],
      ['plan set Team', /"Team" is no key/, /lower-case/],
      ['plan set team --active-tasks many', /'many' is invalid/, /whole number/],
      ['plan set team --writes-per-day 1.5', /'1.5' is invalid/, /whole number/],
      ['plan set team --token-per-minute -1', /whole number|argument missing/],
      ['plan set team --api-access maybe', /on or off/],
      ['api', /on\|off/],
      ['api maybe', /'maybe' is invalid/, /on or off/],
      ['migrate --chek', /unknown option '--chek'/, /--check/],
      ['backup', /missing required argument 'file'/],
      ['doctor now', /too many arguments/],
      ['serve --port 80', /unknown option '--port'/],
    ]
    for (const [line, ...said] of wrong) {
      it(`says what was wrong and what would be right, and exits with 2: fivetab ${line.slice(0, 80)}`, async () => {
        await using shell = await openShell(engine)
        await shell.json(ADA)

        assertWrongUse(await shell.run(line), ...said)
      })
    }

    it('changes nothing', async () => {
      await using shell = await openShell(engine)
      await shell.json(ADA)
      const before = [await shell.json('account list'), await shell.json('plan list')]

      for (const line of ['account set ada@example.org --vault on --plan gold', 'plan set team --active-tasks x', 'api maybe'])
        assertWrongUse(await shell.run(line))

      assert.deepEqual([await shell.json('account list'), await shell.json('plan list')], before)
    })

    for (const line of ['account list', 'token list --account ada@example.org', 'plan list', 'api on', 'migrate', 'backup x', 'serve']) {
      it(`names every wrong setting and exits with 2: fivetab ${line}`, async () => {
        await using shell = await openShell(engine, { PORT: 'x', LOG_LEVEL: 'loud' })

        assertWrongUse(await shell.run(line), /PORT=x: must be a whole number/, /LOG_LEVEL=loud: must be one of/)
      })
    }
  })

  describe(`a command where there is no database (${engine})`, () => {
    const commands = [
      ...['account list', 'account show ada@example.org', 'account set ada@example.org --vault on', 'account delete ada@example.org'],
      ...[`${TOKEN} --scopes tasks:read`, 'token list --account ada@example.org', `token revoke ${UNKNOWN_ID}`],
      ...['plan list', 'api on', 'api off'],
    ]
    for (const line of commands) {
      it(`says so, exits with 2, and makes none: fivetab ${line}`, async () => {
        await using shell = await openShell(engine)

        assertWrongUse(
          await shell.run(line),
          engine === 'sqlite' ? /There is no database .*DATA_DIR/ : /There is no database .*DATABASE_URL/,
        )

        assert.deepEqual(readdirSync(shell.dataDir), [])
        assert.deepEqual(await contentsOf(shell), {})
      })
    }

    for (const line of [ADA, 'plan set team --active-tasks 50', 'migrate']) {
      it(`makes one when that is what it is for: fivetab ${line}`, async () => {
        await using shell = await openShell(engine)

        assertDone(await shell.run(line))

        assert.equal((await shell.json('plan list')).length >= 3, true)
      })
    }
  })

  describe(`fivetab serve (${engine})`, () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`starts the service with the settings and stops it at ${signal}`, async (t) => {
        await using shell = await openShell(engine, { PORT: '0' })
        const before = { SIGTERM: process.listeners('SIGTERM'), SIGINT: process.listeners('SIGINT') }
        t.after(() => {
          for (const name of ['SIGTERM', 'SIGINT'] as const) {
            for (const listener of process.listeners(name)) if (!before[name].includes(listener)) process.off(name, listener)
          }
        })
        const story: string[] = []
        const served = shell.run('serve', {
          startService: async (settings: Settings) => {
            story.push(`started on ${settings.port} in ${settings.dataDir}`)
            return {
              stop: async () => {
                story.push('stopped')
              },
            }
          },
        })

        while (process.listenerCount(signal) === before[signal].length) await nextTurnOfTheLoop()
        assert.deepEqual(story, [`started on 0 in ${shell.dataDir}`])
        process.emit(signal)

        assertDone(await served)
        assert.deepEqual(story.slice(1), ['stopped'])
      })
    }

    it('exits with 1 and names the address when it is taken', async () => {
      const taken = createServer()
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
      const { port } = taken.address() as { port: number }
      await using shell = await openShell(engine, { PORT: String(port) })

      const { code, err } = await shell.run('serve', { startService: (settings) => startService(settings, pino({ level: 'silent' })) })
      taken.close()

      assert.equal(code, 1)
      assert.match(err, new RegExp(`address already in use 127\\.0\\.0\\.1:${port}`))
    })
  })
}

describe('fivetab --help', () => {
  for (const line of ['--help', 'account --help', 'token create --help', 'plan set --help', 'serve --help', 'help backup']) {
    it(`tells what is possible: fivetab ${line}`, async () => {
      await using shell = await openShell('sqlite')

      assertDone(await shell.run(line), /Usage: fivetab/)
    })
  }

  it('names every scope where a token is made', async () => {
    await using shell = await openShell('sqlite')

    assertDone(await shell.run('token create --help'), ...SCOPE_NAMES.map((scope) => new RegExp(scope)))
  })
})
