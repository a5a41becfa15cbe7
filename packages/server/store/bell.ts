import type { Relay } from './relay.ts'

/**
 * Tells whoever waits for news of an account that there is some. It is a hint and no more: the log is the truth, a ring can be lost where a
 * connection breaks, and whoever listens looks by itself now and then.
 */
export interface Bell {
  /** An account has news by a write of this process. */
  ring(accountId: string): void
  /** Calls `listener` for every account with news, of this process or another on the same database. It must not throw. */
  onRing(listener: (accountId: string) => void): void
  close(): Promise<void>
}

/** `relay` carries rings to the other processes and back; null where there are none. */
export function openBell(relay: Relay | null): Bell {
  const listeners: ((accountId: string) => void)[] = []
  const tellAll = (accountId: string) => {
    for (const listener of listeners) listener(accountId)
  }
  relay?.onWord(tellAll)
  return {
    ring: (accountId) => {
      tellAll(accountId)
      relay?.send(accountId)
    },
    onRing: (listener) => void listeners.push(listener),
    close: async () => relay?.close(),
  }
}
