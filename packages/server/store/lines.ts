import { Failure } from '@fivetab/domain/failure.ts'
import type { CommitObserver, Subject, Writer } from './store.ts'

/**
 * Lines of jobs that write. The jobs of one line go one after another, and those that wait together share a commit: all are answered after the
 * one commit that makes them durable.
 *
 * A job that is refused before it has written anything leaves the others alone, and so do nearly all that fail. One that fails with something written
 * takes everything back, and its jobs are carried out anew in two halves, until it stands alone: that is dear, and rare, and spares every other job
 * a savepoint. A commit that fails by itself fails every job in it, also those that had been refused, since what they saw never came to be.
 */

const MAX_JOBS_A_COMMIT = 64
const MAX_WAITING = 10_000
/** How often a transaction that the database asks to repeat is repeated. */
const MAX_TRIES = 5

/** What an engine gives of a transaction that has begun. */
export interface Transaction {
  readonly statements: Statements
  /** Answers once everything is durable. @throws Spoilt when a statement had failed that nobody waited for */
  commit(): Promise<void>
  /** Never throws: a transaction that cannot go on is taken back by the database itself. */
  rollback(): Promise<void>
}

export type Statements = Omit<Writer, 'common' | 'subjects'>

/** Thrown when one of the jobs that were to share a commit made that impossible; the cause is its own error. */
export class Spoilt extends Error {
  constructor(cause: unknown) {
    super('One of several writes failed.', { cause })
  }
}

/** Thrown when the database took a transaction back for no fault of its own, and asks to carry it out again. */
export class TryAgain extends Failure {
  constructor() {
    super('unavailable', 'Too many writes stand in each other’s way.', { retryAfterSeconds: 2 })
  }
}

interface LinesOptions {
  begin(): Promise<Transaction>
  /** Waited for before jobs are taken out of a line, so that more can join their commit. */
  gather(): Promise<void>
  /** How long a job may wait in its line, in ms, before it is refused. */
  patienceMs: number
  observer: CommitObserver
}

type Job<T> = (writer: Writer) => Promise<T>

export interface Lines {
  /** Carries `job` out in a line, by its name. @throws Failure `unavailable` when too much is waiting, or for too long */
  transact<T>(job: Job<T>, line: string | symbol, subject?: Subject): Promise<T>
  /** How many jobs are waiting to be carried out. */
  waiting(): number
  /** Refuses whatever comes from now on, and waits for what was accepted. */
  end(): Promise<void>
}

interface Waiting {
  run: Job<unknown>
  subject: Subject | undefined
  since: number
  resolve: (value: never) => void
  reject: (reason: unknown) => void
}

interface Line {
  jobs: Waiting[]
  drained: Promise<void>
}

export function openLines({ begin, gather, patienceMs, observer }: LinesOptions): Lines {
  const lines = new Map<string | symbol, Line>()
  let waiting = 0
  let ending = false

  function transact<T>(run: Job<T>, name: string | symbol, subject?: Subject): Promise<T> {
    if (ending) return Promise.reject(new Failure('unavailable', 'The service is stopping.', { retryAfterSeconds: 5 }))
    if (waiting >= MAX_WAITING) return Promise.reject(new Failure('unavailable', 'Too many writes are waiting.', { retryAfterSeconds: 2 }))
    return new Promise<T>((resolve, reject) => {
      const job = { run, subject, since: performance.now(), resolve, reject }
      waiting += 1
      const line = lines.get(name)
      if (line !== undefined) line.jobs.push(job)
      else open(name, job)
    })
  }

  function open(name: string | symbol, first: Waiting): void {
    const line: Line = { jobs: [first], drained: Promise.resolve() }
    lines.set(name, line)
    line.drained = drain(name, line)
  }

  async function drain(name: string | symbol, line: Line): Promise<void> {
    while (line.jobs.length > 0) {
      await gather()
      await commitTogether(takeFrom(line), line)
    }
    lines.delete(name)
  }

  function takeFrom(line: Line): Waiting[] {
    const jobs = line.jobs.splice(0, MAX_JOBS_A_COMMIT)
    waiting -= jobs.length
    const oldest = performance.now() - patienceMs
    const [late, inTime] = [jobs.filter(({ since }) => since < oldest), jobs.filter(({ since }) => since >= oldest)]
    for (const { reject } of late)
      reject(new Failure('unavailable', 'Too many writes of this account are waiting.', { retryAfterSeconds: 2 }))
    return inTime
  }

  async function commitTogether(jobs: readonly Waiting[], line: Line): Promise<void> {
    if (jobs.length === 0) return
    const started = performance.now()
    let answers: (() => void)[]
    try {
      answers = await repeatedly(() => attempt(jobs, line))
    } catch (error) {
      if (!(error instanceof Spoilt)) return rejectAll(jobs, error)
      if (jobs.length === 1) return rejectAll(jobs, error.cause)
      const middle = Math.ceil(jobs.length / 2)
      await commitTogether(jobs.slice(0, middle), line)
      // Those that were just answered may be reading something that is to stay as it is.
      await gather()
      return commitTogether(jobs.slice(middle), line)
    }
    for (const answer of answers) answer()
    tell(jobs.length, (performance.now() - started) / 1000)
  }

  /** Carries the jobs out in one transaction, and returns how to answer each. @throws when all of it is lost */
  async function attempt(jobs: readonly Waiting[], line: Line): Promise<(() => void)[]> {
    const transaction = await begin().catch((error) => {
      // Those behind have waited as well, and would wait in vain.
      const behind = line.jobs.splice(0)
      waiting -= behind.length
      rejectAll(behind, error)
      throw error
    })
    try {
      const work = openWork(
        transaction.statements,
        jobs.flatMap(({ subject }) => subject ?? []),
      )
      const answers: (() => void)[] = []
      for (const job of jobs) answers.push(await work.carryOut(job))
      await work.end()
      await transaction.commit()
      return answers
    } catch (error) {
      await transaction.rollback()
      throw error
    }
  }

  function tell(jobs: number, seconds: number): void {
    try {
      observer.committed(jobs, seconds)
    } catch {
      // Figures are not worth a write: what is stored is stored, and the next ones go on.
    }
  }

  return {
    transact,
    waiting: () => waiting,
    end: async () => {
      ending = true
      await Promise.all([...lines.values()].map(({ drained }) => drained))
    },
  }
}

function rejectAll(jobs: readonly Waiting[], error: unknown): void {
  for (const job of jobs) job.reject(error)
}

/** What is done in one transaction. */
interface Work {
  /** Carries out the next job, and returns how to answer it once all is durable. @throws Spoilt, Failure `unavailable` when nothing of this can be stored */
  carryOut(job: Waiting): Promise<() => void>
  /** After the last job: closes what they had in common. @throws Spoilt */
  end(): Promise<void>
}

function openWork(statements: Statements, subjects: readonly Subject[]): Work {
  let written = 0
  const common = new Map<string, { value: Promise<unknown>; close: ((value: never) => Promise<void>) | undefined }>()
  const writer: Writer = {
    ...statements,
    subjects,
    run: (sql, values) => {
      written += 1
      return statements.run(sql, values)
    },
    put: (sql, values) => {
      written += 1
      return statements.put(sql, values)
    },
    common: <T>(name: string, open: () => Promise<T>, close?: (value: T) => Promise<void>) => {
      const known = common.get(name)
      if (known !== undefined) return known.value as Promise<T>
      const value = open()
      common.set(name, { value, close })
      return value
    },
  }
  return {
    carryOut: async ({ run, resolve, reject }) => {
      const before = written
      try {
        const value = await run(writer)
        return () => resolve(value as never)
      } catch (error) {
        // The transaction is lost, whoever's statement it was.
        if (error instanceof Failure && error.code === 'unavailable') throw error
        if (error instanceof Failure && written === before) return () => reject(error)
        // What is no refusal may have cost the transaction itself: a disk that fails does.
        throw new Spoilt(error)
      }
    },
    end: async () => {
      try {
        for (const { value, close } of common.values()) await close?.((await value) as never)
      } catch (error) {
        throw error instanceof Failure ? error : new Spoilt(error)
      }
    },
  }
}

async function repeatedly<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof TryAgain) || tries === MAX_TRIES) throw error
    }
  }
}
