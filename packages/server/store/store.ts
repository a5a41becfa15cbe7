/**
 * The port to the store. Rules and verbs know only what stands here; an engine (SQLite, PostgreSQL) gives it.
 *
 * SQL text is plain, with `$1` parameters, and the same for every engine. Reading and writing are two types: what holds a `Reader` cannot write.
 */

import type { Dialect } from './dialect.ts'

export type Value = string | number | null

export interface Reader {
  /** The first row, or undefined. */
  one<Row>(sql: string, values: readonly Value[]): Promise<Row | undefined>
  all<Row>(sql: string, values: readonly Value[]): Promise<Row[]>
}

/** A transaction under way. It must be used by its own job alone, and only until that job ends. */
export interface Writer extends Reader {
  /** How many rows were changed. @throws Duplicate */
  run(sql: string, values: readonly Value[]): Promise<number>
  /**
   * Carries out a statement whose outcome the job does not need. It may answer before the statement was carried out, which still comes before
   * whatever follows it; if it fails, the job fails.
   */
  put(sql: string, values: readonly Value[]): Promise<void>
  /**
   * What the jobs that share this transaction have in common under a name: `open` makes it for the first that asks, `close` is called with it
   * after the last. A job that fails leaves it as it was, and none changes behind its back what it stands for.
   */
  common<T>(name: string, open: () => Promise<T>, close?: (value: T) => Promise<void>): Promise<T>
  /** What the jobs that share this transaction are about, so that the first can read at once what the others will ask for. */
  readonly subjects: readonly Subject[]
}

/** The task that a job is about. */
export interface Subject {
  accountId: string
  id: string
}

/** What an engine tells about its own health. */
export interface Finding {
  what: string
  ok: boolean
  /** What was found; when it is not ok, how to mend it. */
  detail: string
}

/**
 * A database. Reads wait for nobody, and see all that this process committed before they began; what another process committed they see from the next
 * turn of the event loop on, at the latest.
 */
export interface Engine extends Reader {
  readonly dialect: Dialect
  /** Carries out several reads that see one and the same state. `job` must wait for nothing but its reads. */
  snapshot<T>(job: (reader: Reader) => Promise<T>): Promise<T>
  /**
   * What `read` gives, shared by all that ask for it by the same name: for as long as nothing is stored, or, where other processes cannot be watched, by
   * those that had asked when it began. It is as new as a read of its own would be. `read` only reads.
   */
  known<T>(name: string, read: (reader: Reader) => Promise<T>): Promise<T>
  /**
   * Carries `job` out, all of it or nothing, and answers once it is durable. What `job` throws is passed on with nothing of it stored. It may
   * be carried out more than once before one of its tries is stored.
   *
   * @param line jobs of the same line, such as an account's, are carried out one after another and may share a commit; one without a line
   *   waits for nobody where the engine can write at several places at once
   * @param subject what the job is about, for `Writer.subjects`
   * @throws Failure `unavailable` when too much is waiting already, or the database cannot be reached or is locked
   */
  transact<T>(job: (writer: Writer) => Promise<T>, line?: string, subject?: Subject): Promise<T>
  /** How many transactions are waiting to be carried out. */
  waiting(): number
  /** Writes a consistent copy of the database to a new file while everything goes on. */
  backup(file: string): Promise<void>
  inspect(): Promise<Finding[]>
  hasTable(name: string): Promise<boolean>
  /** Waits for what was accepted, then closes. */
  close(): Promise<void>
}

/** Thrown for a row that would be the second with the same key. */
export class Duplicate extends Error {}

/** What an engine reports of its commits, for the figures. */
export interface CommitObserver {
  /** `jobs` shared one commit, which took `seconds` with its jobs. */
  committed(jobs: number, seconds: number): void
}
