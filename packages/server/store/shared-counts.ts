import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible'

/** Counts that several instances share: in PostgreSQL, or in Redis or Valkey. What is counted, and what follows from it, is not decided here. */
export interface SharedCounts {
  /**
   * Adds `count` to what all instances together have taken of `key`, and answers with the sum.
   * @throws when the store is away, or does not answer in time
   */
  take(key: string, count: number): Promise<number>
  close(): Promise<void>
}

/** A key counts something of one minute; after this it is forgotten. */
const KEPT_SECONDS = 120
/** A request waits for it: better to count alone for a while. */
const ANSWER_TIMEOUT_MS = 500
const CONNECTIONS = 2
/** Nothing is refused by the library: what follows from a count is its caller's to say. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER
const LONGEST_BACKOFF_MS = 1_000

/** The table is made by the migration `shared-limits`. It is not logged, so that no count waits for the disk. */
export function postgresCounts(url: string): SharedCounts {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    application_name: 'fivetab limits',
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'shared_counts',
    tableCreated: true,
    keyPrefix: '',
    points: NO_LIMIT,
    duration: KEPT_SECONDS,
  })
  return countsOf(limiter, () => pool.end())
}

export function redisCounts(url: string): SharedCounts {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: ANSWER_TIMEOUT_MS,
    connectTimeout: ANSWER_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, LONGEST_BACKOFF_MS),
  })
  // It connects again by itself; until then `take` throws.
  client.on('error', () => {})
  const limiter = new RateLimiterRedis({
    storeClient: client,
    keyPrefix: 'fivetab',
    points: NO_LIMIT,
    duration: KEPT_SECONDS,
    rejectIfRedisNotReady: true,
  })
  return countsOf(limiter, async () => client.disconnect())
}

function countsOf(limiter: RateLimiterAbstract, close: () => Promise<void>): SharedCounts {
  return {
    take: async (key, count) => (await limiter.penalty(key, count)).consumedPoints,
    close,
  }
}
