import { useSyncExternalStore } from 'react'

/** A value that parts of the page share, and are told of. */
export interface Store<T> {
  get(): T
  set(next: (before: T) => T): void
  subscribe(listener: () => void): () => void
}

export function storeOf<T>(first: T): Store<T> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      value = next(value)
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}
