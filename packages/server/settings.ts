import { resolve } from 'node:path'
import { isDate, parseDateTime } from '@fivetab/domain/time.ts'
import { SIGN_UP_MODES, type SignUpMode } from './actions/gate.ts'
import { rangeOf } from './outgoing/addresses.ts'

/** What an operator can set. This is the only reader of the environment. */
export interface Settings {
  host: string
  /** 0 takes any free port. */
  port: number
  dataDir: string
  /** Where PostgreSQL is, instead of the embedded database; null for the latter. It holds a password: never to be printed or logged. */
  databaseUrl: string | null
  /** How many connections to PostgreSQL this process opens at most. */
  databaseConnections: number
  /** Where Redis or Valkey is, to share limits through it; null to share them through the database. It may hold a password. */
  redisUrl: string | null
  /** What links begin with, without a slash at the end; null to make it from the host and the port. */
  baseUrl: string | null
  metricsPort: number | null
  logLevel: (typeof LOG_LEVELS)[number]
  eventRetentionDays: number
  /** Since when, or from when on, this major version is deprecated, and when it ends; ms since the epoch. */
  deprecation: number | null
  sunset: number | null
  /** How long the service goes on after it was told to stop and turned not ready, so that whoever sends it requests can notice. */
  stopDelaySeconds: number
  /** The memory (resident set, bytes) above which requests are refused; null to derive it from what the process may use. */
  maxMemoryBytes: number | null
  /** Ranges of IP addresses that webhooks may lead to although they are not public, such as `10.0.0.0/8`; one address is a range too. */
  webhookAllowedRanges: readonly string[]
  /** Who may make an account in the app. */
  signUp: SignUpMode
  /** Ranges of IP addresses of proxies that are believed when they say, in X-Forwarded-For, for whom they ask; one address is a range too. */
  trustedProxies: readonly string[]
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

const RANGES = 'a range of IP addresses such as 10.0.0.0/8 or fd00::/8, or several with commas between'

/** Settings that cannot be used. `problems` names every wrong variable. */
export class WrongSettings extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`Some settings are wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'WrongSettings'
    this.problems = problems
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** @throws WrongSettings naming every variable that is wrong */
export function readSettings(environment: Environment): Settings {
  const problems: string[] = []

  function read<T>(name: string, fallback: T, parse: (text: string) => T | undefined, wanted: string): T {
    const text = environment[name]
    if (text === undefined || text === '') return fallback
    const value = parse(text)
    if (value !== undefined) return value
    problems.push(`${name}=${text}: must be ${wanted}.`)
    return fallback
  }

  /** An address that may hold a password, so what was given is not repeated. */
  function readSecret(name: string, protocol: RegExp, wanted: string): string | null {
    const text = environment[name]
    if (text === undefined || text === '') return null
    if (URL.canParse(text) && protocol.test(new URL(text).protocol)) return text
    problems.push(`${name}: must be ${wanted}.`)
    return null
  }

  /** Several values with commas between. Each that is wrong is a problem of its own. */
  function readList(name: string, isRight: (item: string) => boolean, wanted: string): string[] {
    const items = (environment[name] ?? '').split(',').map((item) => item.trim())
    const given = items.filter((item) => item !== '')
    problems.push(...given.filter((item) => !isRight(item)).map((item) => `${name}=${item}: must be ${wanted}.`))
    return given
  }

  const settings: Settings = {
    host: read('HOST', '127.0.0.1', (text) => (/^[\w.:-]+$/.test(text) ? text : undefined), 'a host name or an IP address'),
    port: read('PORT', 3000, (text) => wholeNumber(text, 0, 65_535), 'a whole number from 0 to 65535'),
    dataDir: resolve(environment.DATA_DIR || './data'),
    databaseUrl: readSecret('DATABASE_URL', /^postgres(ql)?:$/, 'an address such as postgres://user:password@host:5432/fivetab'),
    databaseConnections: read('DATABASE_CONNECTIONS', 10, (text) => wholeNumber(text, 1, 1_000), 'a whole number from 1 to 1000'),
    redisUrl: readSecret('REDIS_URL', /^rediss?:$/, 'an address such as redis://host:6379'),
    baseUrl: read<string | null>(
      'BASE_URL',
      null,
      addressOf,
      'an http or https address without query or fragment, such as https://tasks.example.org',
    ),
    metricsPort: read<number | null>('METRICS_PORT', null, (text) => wholeNumber(text, 0, 65_535), 'a whole number from 0 to 65535'),
    logLevel: read('LOG_LEVEL', 'info', (text) => LOG_LEVELS.find((level) => level === text), `one of ${LOG_LEVELS.join(', ')}`),
    eventRetentionDays: read('EVENT_RETENTION_DAYS', 30, (text) => wholeNumber(text, 1, 36_500), 'a whole number of days from 1 to 36500'),
    deprecation: read<number | null>('API_DEPRECATION', null, instant, 'a day (2027-01-31) or a time (2027-01-31T12:00:00Z)'),
    sunset: read<number | null>('API_SUNSET', null, instant, 'a day (2027-12-31) or a time (2027-12-31T12:00:00Z)'),
    stopDelaySeconds: read('STOP_DELAY_SECONDS', 0, (text) => wholeNumber(text, 0, 300), 'a whole number of seconds from 0 to 300'),
    maxMemoryBytes: read<number | null>('MAX_MEMORY_MIB', null, mebibytes, 'a whole number of MiB from 64 on'),
    webhookAllowedRanges: readList('WEBHOOK_ALLOWED_RANGES', (item) => rangeOf(item) !== undefined, RANGES),
    signUp: read('SIGN_UP', 'invite', (text) => SIGN_UP_MODES.find((mode) => mode === text), `one of ${SIGN_UP_MODES.join(', ')}`),
    trustedProxies: readList('TRUSTED_PROXIES', (item) => rangeOf(item) !== undefined, RANGES),
  }

  if (settings.port !== 0 && settings.port === settings.metricsPort)
    problems.push(`METRICS_PORT=${settings.metricsPort}: must differ from PORT.`)
  if (settings.sunset !== null && settings.deprecation !== null && settings.sunset < settings.deprecation) {
    problems.push('API_SUNSET: must not be earlier than API_DEPRECATION.')
  }
  if (problems.length > 0) throw new WrongSettings(problems)
  return settings
}

/** What links to the service begin with, as far as settings tell: `port` is not known before the start where it is 0. */
export function baseUrlOf({ baseUrl, host, port }: Pick<Settings, 'baseUrl' | 'host' | 'port'>): string {
  if (baseUrl !== null) return baseUrl
  const name = ANY_ADDRESS.includes(host) ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** To listen on these is to listen on all addresses of the machine; none of them can be opened. */
const ANY_ADDRESS = ['0.0.0.0', '::']

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

function mebibytes(text: string): number | undefined {
  const count = wholeNumber(text, 64, 999_999_999)
  return count === undefined ? undefined : count * 1024 * 1024
}

function addressOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isPlain = /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && url.username === '' && url.password === ''
  return isPlain ? url.href.replace(/\/+$/, '') : undefined
}

function instant(text: string): number | undefined {
  return parseDateTime(isDate(text) ? `${text}T00:00:00Z` : text) ?? undefined
}
