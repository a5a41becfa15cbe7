import { type Session, usedSession } from '@fivetab/domain/session.ts'
import type { Token } from '@fivetab/domain/token.ts'
import { saveUse as saveSessionUse } from '../store/sessions.ts'
import type { Engine, Writer } from '../store/store.ts'
import { saveTokenUse, type TokenUse } from '../store/tokens.ts'

/**
 * When tokens and sessions were last used. Each use is noted in memory, and what was noted is stored now and then, so that no request waits for it. A
 * process that dies takes with it what it had noted since, which is a minute's worth.
 */
export interface Uses {
  /** `now` is ms since the epoch. */
  noteToken(token: Token, now: number): void
  noteSession(session: Session, now: number): void
  /** Stores what was noted; what could not be stored is kept for the next time. */
  save(): Promise<void>
}

/** How often what was noted is stored. */
export const USES_PAUSE_MS = 60_000

/** How many uses share a transaction. */
const USES_AT_ONCE = 500

export function openUses(store: Pick<Engine, 'transact'>): Uses {
  const tokens = new Map<string, TokenUse>()
  const sessions = new Map<string, Session>()
  return {
    noteToken: ({ id, accountId }, now) => {
      const use = tokens.get(id)
      if (use === undefined) tokens.set(id, { accountId, id, at: now })
      else use.at = now
    },
    noteSession: (session, now) => {
      const used = usedSession(sessions.get(session.id) ?? session, now)
      if (used !== session) sessions.set(session.id, used)
    },
    save: async () => {
      await saveAll(store, tokens, saveTokenUse)
      await saveAll(store, sessions, saveSessionUse)
    },
  }
}

/** Stores what is in `noted` and takes it out, a part at a time. */
async function saveAll<T extends { id: string }>(
  store: Pick<Engine, 'transact'>,
  noted: Map<string, T>,
  save: (writer: Writer, use: T) => Promise<void>,
): Promise<void> {
  // In one order, so that no two instances wait for each other's rows.
  const ids = [...noted.keys()].sort()
  for (let from = 0; from < ids.length; from += USES_AT_ONCE) {
    const part = ids.slice(from, from + USES_AT_ONCE).flatMap((id) => noted.get(id) ?? [])
    for (const { id } of part) noted.delete(id)
    try {
      await store.transact(async (writer) => {
        for (const use of part) await save(writer, use)
      })
    } catch (error) {
      for (const use of part) if (!noted.has(use.id)) noted.set(use.id, use)
      throw error
    }
  }
}
