import { useQuery } from '@tanstack/react-query'
import { ask, Refused } from '../../client/http.ts'
import { storeOf, useStore } from '../../client/store.ts'

/**
 * The link that one came by. Its value stands in the fragment, which browsers send to nobody; it is taken out of the address bar at once, so that it is in no
 * history and on no picture of the screen, and kept in memory alone.
 */
const value = storeOf<string | null>(null)

function takeFromAddress(): void {
  const found = /^#link=(.+)$/.exec(window.location.hash)?.[1]
  if (found === undefined) return
  value.set(() => found)
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
}

takeFromAddress()
window.addEventListener('hashchange', takeFromAddress)

export function useLinkValue(): string | null {
  return useStore(value)
}

/** What a link is for, as the service says. */
export interface Link {
  kind: 'first' | 'invitation' | 'password_reset'
  /** The one address that it is for. */
  email: string | null
  expires_at: string
}

/** What this link is for; nothing is asked where there is none. */
export function useLink(link: string | null) {
  return useQuery({
    queryKey: ['link', link],
    queryFn: () => ask<Link>('POST', '/links', { body: { link } }),
    enabled: link !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** Whether the service has said that there is no such link, or none any more. */
export function isNoLink(error: unknown): boolean {
  return error instanceof Refused && ['not_found', 'invalid_request'].includes(error.problem.code)
}
