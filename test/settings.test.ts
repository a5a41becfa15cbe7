import assert from 'node:assert/strict'
import { isAbsolute, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { baseUrlOf, type Environment, readSettings, type Settings, WrongSettings } from '../packages/server/settings.ts'

const DEFAULTS: Settings = {
  host: '127.0.0.1',
  port: 3000,
  dataDir: resolve('data'),
  databaseUrl: null,
  databaseConnections: 10,
  redisUrl: null,
  baseUrl: null,
  metricsPort: null,
  logLevel: 'info',
  eventRetentionDays: 30,
  deprecation: null,
  sunset: null,
  stopDelaySeconds: 0,
  maxMemoryBytes: null,
  webhookAllowedRanges: [],
  signUp: 'invite',
  trustedProxies: [],
}

const VARIABLES = [
  'HOST',
  'PORT',
  'DATA_DIR',
  'BASE_URL',
  'METRICS_PORT',
  'LOG_LEVEL',
  'EVENT_RETENTION_DAYS',
  'API_DEPRECATION',
  'API_SUNSET',
  'STOP_DELAY_SECONDS',
  'MAX_MEMORY_MIB',
  'DATABASE_URL',
  'DATABASE_CONNECTIONS',
  'REDIS_URL',
  'WEBHOOK_ALLOWED_RANGES',
  'SIGN_UP',
  'TRUSTED_PROXIES',
]

function problemsOf(environment: Environment): readonly string[] {
  try {
    readSettings(environment)
  } catch (error) {
    assert.ok(error instanceof WrongSettings)
    return error.problems
  }
  return []
}

describe('settings', () => {
  it('have a default each', () => {
    assert.deepEqual(readSettings({}), DEFAULTS)
  })

  it('take an empty string as not set', () => {
    assert.deepEqual(readSettings(Object.fromEntries(VARIABLES.map((name) => [name, '']))), DEFAULTS)
  })

  it('have nothing to do with variables that are not theirs', () => {
    assert.deepEqual(readSettings({ FIVETAB: 'x', port: '1', HOME: '/root' }), DEFAULTS)
  })

  const right: [variable: string, text: string, expected: Partial<Settings>][] = [
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['HOST', '::1', { host: '::1' }],
    ['HOST', 'tasks.example.org', { host: 'tasks.example.org' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['DATA_DIR', '/var/lib/fivetab', { dataDir: '/var/lib/fivetab' }],
    ['DATA_DIR', 'here/there', { dataDir: resolve('here/there') }],
    ['BASE_URL', 'https://tasks.example.org', { baseUrl: 'https://tasks.example.org' }],
    ['BASE_URL', 'https://tasks.example.org/', { baseUrl: 'https://tasks.example.org' }],
    ['BASE_URL', 'http://example.org:8080/tasks//', { baseUrl: 'http://example.org:8080/tasks' }],
    ['METRICS_PORT', '0', { metricsPort: 0 }],
    ['METRICS_PORT', '9090', { metricsPort: 9090 }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['LOG_LEVEL', 'trace', { logLevel: 'trace' }],
    ['EVENT_RETENTION_DAYS', '1', { eventRetentionDays: 1 }],
    ['EVENT_RETENTION_DAYS', '36500', { eventRetentionDays: 36_500 }],
    ['API_DEPRECATION', '2027-01-31', { deprecation: Date.parse('2027-01-31T00:00:00Z') }],
    ['API_DEPRECATION', '2027-01-31T12:00:00+02:00', { deprecation: Date.parse('2027-01-31T10:00:00Z') }],
    ['API_SUNSET', '2027-12-31T12:00:00Z', { sunset: Date.parse('2027-12-31T12:00:00Z') }],
    ['STOP_DELAY_SECONDS', '300', { stopDelaySeconds: 300 }],
    ['DATABASE_URL', 'postgres://127.0.0.1/fivetab', { databaseUrl: 'postgres://127.0.0.1/fivetab' }],
    ['DATABASE_URL', 'postgresql://ada:x@[::1]:5433/f?sslmode=require', { databaseUrl: 'postgresql://ada:x@[::1]:5433/f?sslmode=require' }],
    ['DATABASE_CONNECTIONS', '1', { databaseConnections: 1 }],
    ['DATABASE_CONNECTIONS', '1000', { databaseConnections: 1_000 }],
    ['REDIS_URL', 'redis://127.0.0.1:6379', { redisUrl: 'redis://127.0.0.1:6379' }],
    ['REDIS_URL', 'rediss://ada:x@example.org/1', { redisUrl: 'rediss://ada:x@example.org/1' }],
    ['MAX_MEMORY_MIB', '64', { maxMemoryBytes: 64 * 1024 * 1024 }],
    ['WEBHOOK_ALLOWED_RANGES', '10.0.0.0/8', { webhookAllowedRanges: ['10.0.0.0/8'] }],
    ['WEBHOOK_ALLOWED_RANGES', ' 192.168.1.7 , fd00::/8,::1 ', { webhookAllowedRanges: ['192.168.1.7', 'fd00::/8', '::1'] }],
    ['WEBHOOK_ALLOWED_RANGES', ' , ', { webhookAllowedRanges: [] }],
    ['SIGN_UP', 'open', { signUp: 'open' }],
    ['SIGN_UP', 'closed', { signUp: 'closed' }],
    ['TRUSTED_PROXIES', '127.0.0.1', { trustedProxies: ['127.0.0.1'] }],
    ['TRUSTED_PROXIES', '10.0.0.0/8, fd00::/8', { trustedProxies: ['10.0.0.0/8', 'fd00::/8'] }],
  ]
  for (const [variable, text, expected] of right) {
    it(`take ${variable}=${text}`, () => {
      assert.deepEqual(readSettings({ [variable]: text }), { ...DEFAULTS, ...expected })
    })
  }

  const wrong: [variable: string, text: string, wanted: RegExp][] = [
    ['HOST', 'http://127.0.0.1', /host name/],
    ['HOST', '127.0.0.1 ', /host name/],
    ['PORT', '65536', /0 to 65535/],
    ['PORT', '-1', /0 to 65535/],
    ['PORT', '1e3', /0 to 65535/],
    ['PORT', '0x10', /0 to 65535/],
    ['PORT', ' 3000', /0 to 65535/],
    ['PORT', '3000.0', /0 to 65535/],
    ['BASE_URL', 'tasks.example.org', /http or https address/],
    ['BASE_URL', 'ftp://tasks.example.org', /http or https address/],
    ['BASE_URL', 'https://tasks.example.org/?a=b', /http or https address/],
    ['BASE_URL', 'https://tasks.example.org/?', /http or https address/],
    ['BASE_URL', 'https://tasks.example.org/#top', /http or https address/],
    ['BASE_URL', 'https://tasks.example.org/#', /http or https address/],
    ['BASE_URL', 'https://ada:secret@tasks.example.org', /http or https address/],
    ['BASE_URL', 'https://:secret@tasks.example.org', /http or https address/],
    ['METRICS_PORT', 'yes', /0 to 65535/],
    ['LOG_LEVEL', 'INFO', /one of trace, debug, info/],
    ['LOG_LEVEL', 'verbose', /one of trace, debug, info/],
    ['EVENT_RETENTION_DAYS', '0', /1 to 36500/],
    ['EVENT_RETENTION_DAYS', '36501', /1 to 36500/],
    ['EVENT_RETENTION_DAYS', '30d', /1 to 36500/],
    ['API_DEPRECATION', '2027-02-30', /2027-01-31/],
    ['API_DEPRECATION', 'soon', /2027-01-31/],
    ['API_SUNSET', '2027-12-31T12:00:00', /2027-12-31/],
    ['STOP_DELAY_SECONDS', '301', /0 to 300/],
    ['MAX_MEMORY_MIB', '63', /64/],
    ['MAX_MEMORY_MIB', '512M', /64/],
    ['DATABASE_URL', '127.0.0.1', /postgres:\/\/user:password@/],
    ['DATABASE_URL', '127.0.0.1:5432/fivetab', /postgres:\/\/user:password@/],
    ['DATABASE_URL', 'host=127.0.0.1 dbname=fivetab', /postgres:\/\/user:password@/],
    ['DATABASE_URL', 'mysql://127.0.0.1/fivetab', /postgres:\/\/user:password@/],
    ['DATABASE_URL', 'https://127.0.0.1/fivetab', /postgres:\/\/user:password@/],
    ['DATABASE_CONNECTIONS', '0', /1 to 1000/],
    ['DATABASE_CONNECTIONS', '1001', /1 to 1000/],
    ['DATABASE_CONNECTIONS', 'many', /1 to 1000/],
    ['REDIS_URL', '127.0.0.1', /redis:\/\/host/],
    ['REDIS_URL', 'valkey://127.0.0.1', /redis:\/\/host/],
    ['WEBHOOK_ALLOWED_RANGES', '10.0.0.0/33', /10\.0\.0\.0\/33: .* range of IP addresses/],
    ['WEBHOOK_ALLOWED_RANGES', '10.0.0.0/', /range of IP addresses/],
    ['WEBHOOK_ALLOWED_RANGES', '10.0.0.0-10.0.0.9', /range of IP addresses/],
    ['WEBHOOK_ALLOWED_RANGES', '10.0/8', /range of IP addresses/],
    ['WEBHOOK_ALLOWED_RANGES', '010.0.0.0/8', /range of IP addresses/],
    ['WEBHOOK_ALLOWED_RANGES', 'fd00::/129', /range of IP addresses/],
    ['WEBHOOK_ALLOWED_RANGES', 'fe80::1%eth0', /range of IP addresses/],
    ['WEBHOOK_ALLOWED_RANGES', 'localhost', /range of IP addresses/],
    ['SIGN_UP', 'Open', /one of open, invite, closed/],
    ['SIGN_UP', 'true', /one of open, invite, closed/],
    ['TRUSTED_PROXIES', 'loopback', /range of IP addresses/],
    ['TRUSTED_PROXIES', '10.0.0.0/33', /10\.0\.0\.0\/33: .* range of IP addresses/],
  ]
  for (const [variable, text, wanted] of wrong) {
    it(`refuse ${variable}=${JSON.stringify(text)} and say what would be right`, () => {
      const problems = problemsOf({ [variable]: text })

      assert.equal(problems.length, 1)
      assert.match(problems[0] as string, new RegExp(`^${variable}`))
      assert.match(problems[0] as string, wanted)
    })
  }

  it('name every wrong variable at once', () => {
    const environment = {
      HOST: 'a b',
      PORT: 'x',
      BASE_URL: 'x',
      METRICS_PORT: 'x',
      LOG_LEVEL: 'x',
      EVENT_RETENTION_DAYS: 'x',
      API_DEPRECATION: 'x',
      API_SUNSET: 'x',
      STOP_DELAY_SECONDS: 'x',
      MAX_MEMORY_MIB: 'x',
      DATABASE_URL: 'x',
      DATABASE_CONNECTIONS: 'x',
      REDIS_URL: 'x',
      WEBHOOK_ALLOWED_RANGES: 'x',
      SIGN_UP: 'x',
      TRUSTED_PROXIES: 'x',
    }

    assert.throws(
      () => readSettings(environment),
      (error: Error) => Object.keys(environment).every((name) => error.message.includes(`\n  ${name}`)),
    )
    assert.equal(problemsOf(environment).length, Object.keys(environment).length)
  })

  it('name every wrong one of several ranges', () => {
    const problems = problemsOf({ WEBHOOK_ALLOWED_RANGES: '10.0.0.0/8, here, fd00::/8, ::/200' })

    assert.deepEqual(
      problems.map((problem) => problem.split(': must')[0]),
      ['WEBHOOK_ALLOWED_RANGES=here', 'WEBHOOK_ALLOWED_RANGES=::/200'],
    )
  })

  for (const [variable, text] of [
    ['DATABASE_URL', 'mysql://ada:Surprise@127.0.0.1/fivetab'],
    ['DATABASE_URL', 'ada:Surprise@127.0.0.1'],
    ['DATABASE_URL', 'postgres://ada:Surprise@127.0.0.1:x/fivetab'],
    ['REDIS_URL', 'http://ada:Surprise@127.0.0.1'],
  ] as const) {
    it(`never repeat what may hold a password: ${variable}=${text}`, () => {
      const problems = problemsOf({ [variable]: text, PORT: 'x' })

      assert.equal(problems.length, 2)
      assert.doesNotMatch(problems.join(), /Surprise/)
    })
  }

  it('refuse one port for the API and the figures', () => {
    assert.match(problemsOf({ PORT: '9090', METRICS_PORT: '9090' }).join(), /METRICS_PORT=9090: must differ from PORT/)
    assert.match(problemsOf({ METRICS_PORT: '3000' }).join(), /METRICS_PORT=3000: must differ from PORT/)
  })

  it('allow any free port for both', () => {
    assert.partialDeepStrictEqual(readSettings({ PORT: '0', METRICS_PORT: '0' }), { port: 0, metricsPort: 0 })
  })

  it('refuse an end that lies before its announcement', () => {
    assert.match(problemsOf({ API_DEPRECATION: '2027-06-01', API_SUNSET: '2027-05-31' }).join(), /API_SUNSET: must not be earlier/)
    assert.deepEqual(problemsOf({ API_DEPRECATION: '2027-06-01', API_SUNSET: '2027-06-01' }), [])
  })

  const addresses: [environment: Environment, expected: string][] = [
    [{ BASE_URL: 'https://tasks.example.org', PORT: '0' }, 'https://tasks.example.org'],
    [{}, 'http://127.0.0.1:3000'],
    [{ HOST: 'tasks.example.org', PORT: '80' }, 'http://tasks.example.org:80'],
    [{ HOST: '::1' }, 'http://[::1]:3000'],
    [{ HOST: '0.0.0.0' }, 'http://127.0.0.1:3000'],
    [{ HOST: '::' }, 'http://127.0.0.1:3000'],
  ]
  for (const [environment, expected] of addresses) {
    it(`tell where the service is opened: ${JSON.stringify(environment)}`, () => {
      assert.equal(baseUrlOf(readSettings(environment)), expected)
    })
  }

  it('make the folder of data an absolute path', () => {
    assert.ok(isAbsolute(readSettings({ DATA_DIR: './elsewhere' }).dataDir))
  })
})
