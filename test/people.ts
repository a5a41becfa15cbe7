import { createHash, randomBytes } from 'node:crypto'
import type { Gate, SignUpMode, Visitor } from '../packages/server/actions/gate.ts'
import { invite } from '../packages/server/actions/links.ts'
import type { Operator } from '../packages/server/actions/operator.ts'
import type { Passwords } from '../packages/server/actions/passwords.ts'
import { signUp } from '../packages/server/actions/people.ts'
import type { SignedIn } from '../packages/server/actions/sessions.ts'
import { openStore } from '../packages/server/store/open.ts'
import type { Store } from '../packages/server/store/turn.ts'
import { aUsedDatabase, type Database, type EngineName } from './database.ts'

/** People at the gate, without HTTP before it: a store of a test's own, a clock, and visitors. */

export const PASSWORD = 'correct horse battery'

/** An instant like any other. */
const START = Date.parse('2026-11-21T12:00:00.000Z')

export interface People extends AsyncDisposable {
  home: Database
  gate: Gate & { passwords: WatchedPasswords }
  store: Store
  operator: Operator
  /** Ms since the epoch. */
  clock(): number
  advance(ms: number): void
  /** A person of this address who has signed up by an invitation. */
  person(email?: string): Promise<SignedIn>
}

export interface PeopleOptions {
  signUp?: SignUpMode
  passwords?: Partial<Passwords>
}

export async function openPeople(engine: EngineName, options: PeopleOptions = {}): Promise<People> {
  const home = await aUsedDatabase(engine)
  let time = START
  const clock = () => time
  const store = await openStore(home.place, clock, randomBytes)
  const operator: Operator = { store, clock, random: randomBytes }
  const passwords = { ...quickPasswords(), ...options.passwords }
  const gate = { ...operator, passwords, signUp: options.signUp ?? 'invite' }
  return {
    home,
    gate,
    store,
    operator,
    clock,
    advance: (ms) => {
      time += ms
    },
    person: async (email = 'ada@example.org') => {
      const { value } = await invite(operator, { lifetimeMs: 3_600_000 })
      return signUp({ ...gate, signUp: 'invite' }, aVisitor(), aSignUp({ email, link: value }))
    },
    [Symbol.asyncDispose]: async () => {
      await store.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

export function aSignUp(fields: Partial<Parameters<typeof signUp>[2]> = {}): Parameters<typeof signUp>[2] {
  return { email: 'ada@example.org', password: PASSWORD, name: null, timeZone: null, link: null, ...fields }
}

let visitors = 0

/** Somebody from a net of his own, unless one is said. */
export function aVisitor(net?: string): Visitor {
  visitors += 1
  return { net: net ?? `198.51.${Math.floor(visitors / 256)}.${visitors % 256}`, userAgent: 'Test' }
}

/** Passwords that are hashed at once, where a test is not about the hashing. */
export interface WatchedPasswords extends Passwords {
  /** What was verified against, in order. */
  readonly verified: (string | null)[]
}

function quickPasswords(): WatchedPasswords {
  const verified: (string | null)[] = []
  const hashOf = (password: string) => `quick$${createHash('sha256').update(password).digest('hex')}`
  return {
    verified,
    hash: async (password) => hashOf(password),
    verify: async (hash, password) => {
      verified.push(hash)
      return hash === hashOf(password)
    },
    needsRehash: () => false,
  }
}
