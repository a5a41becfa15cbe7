import { Failure } from '@fivetab/domain/failure.ts'
import type { CommitObserver, Writer } from './store.ts'

/**
 * Lines of jobs that write. The jobs of one line go one after another, and those that wait together share a commit: each in a savepoint of its
 * own, all answered after the one commit that makes them durable.
 *
 * A job that fails takes back only its own savepoint; a commit that fails fails every job in it, also those that had failed already, since
 * what they saw never came to be.
 */

const MAX_JOBS_A_COMMIT = 64
const MAX_WAITING = 10_000
/** How often a transaction that the database asks to repeat is repeated. */
const MAX_TRIES = 5

/** What an engine gives of a transaction that has begun. */
export interface Transaction {
  readonly writer: Writer
  savepoint(): Promise<void>
  release(): Promise<void>
  /** Takes back what came since the savepoint. @throws when the whole transaction is lost */
  rollbackToSavepoint(): Promise<void>
  /** Answers once everything is durable. */
  commit(): Promise<void>
  /** Never throws: a transaction that cannot go on is taken back by the database itself. */
  rollback(): Promise<void>
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
  transact<T>(job: Job<T>, line: string | symbol): Promise<T>
  /** How many jobs are waiting to be carried out. */
  waiting(): number
  /** Refuses whatever comes from now on, and waits for what was accepted. */
  end(): Promise<void>
}

interface Waiting {
  run: Job<unknown>
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

  function transact<T>(run: Job<T>, name: string | symbol): Promise<T> {
    if (ending) return Promise.reject(new Failure('unavailable', 'The service is stopping.', { retryAfterSeconds: 5 }))
    if (waiting >= MAX_WAITING) return Promise.reject(new Failure('unavailable', 'Too many writes are waiting.', { retryAfterSeconds: 2 }))
    return new Promise<T>((resolve, reject) => {
      const job = { run, since: performance.now(), resolve, reject }
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
      for (const job of jobs) job.reject(error)
      return
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
      for (const job of behind) job.reject(error)
      throw error
    })
    try {
      const answers: (() => void)[] = []
      for (const job of jobs) answers.push(await (jobs.length === 1 ? carryOut(job, transaction) : carryOutAmongOthers(job, transaction)))
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

/** Carries out the only job of a transaction. @throws what the job throws */
async function carryOut(job: Waiting, { writer }: Transaction): Promise<() => void> {
  const value = await job.run(writer)
  return () => job.resolve(value as never)
}

/** Carries out one job of several, in its savepoint. @throws when the whole transaction is lost with it */
async function carryOutAmongOthers(job: Waiting, transaction: Transaction): Promise<() => void> {
  await transaction.savepoint()
  try {
    const answer = await carryOut(job, transaction)
    await transaction.release()
    return answer
  } catch (error) {
    if (error instanceof TryAgain) throw error
    await transaction.rollbackToSavepoint().catch(() => {
      throw error
    })
    return () => job.reject(error)
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
