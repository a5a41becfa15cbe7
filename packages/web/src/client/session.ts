import { readTimeZone } from '@fivetab/domain/person.ts'
import type { AppSessionWire, PersonWire } from '@fivetab/domain/person-shape.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { ask, belongsTo } from './http.ts'

/** Who is signed in. */

export const SESSION_KEY = ['session'] as const

export type SignUpMode = AppSessionWire['sign_up']

/** The session; undefined until the service has said. */
export function useSession() {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: loadSession,
    staleTime: 60_000,
    select: withKnownZone,
  })
}

async function loadSession(): Promise<AppSessionWire> {
  const session = await ask<AppSessionWire>('GET', '/session')
  if (session.user !== null) belongsTo(session.user.id)
  return session
}

/** A time zone that this browser has not heard of would be an error wherever a time is shown: for such a one it is the browser's own. */
function withKnownZone(session: AppSessionWire): AppSessionWire {
  const { user } = session
  if (user === null || readTimeZone(user.time_zone).problems.length === 0) return session
  return { ...session, user: { ...user, time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone } }
}

/** Who is signed in. It is asked only where somebody is. */
export function usePerson(): PersonWire {
  const person = useSession().data?.user
  if (!person) throw new Error('Nobody is signed in here.')
  return person
}

/** A request that ends with somebody signed in, or with a person who has changed. */
export function usePersonRequest<Body extends object>(method: 'POST' | 'PATCH', path: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Body) => ask<PersonWire>(method, path, { body }),
    onSuccess: (user) => {
      belongsTo(user.id)
      client.setQueryData<AppSessionWire>(SESSION_KEY, (before) => before && { ...before, user })
    },
  })
}

/** Ends the session, here or everywhere, and forgets all that was shown. */
export function useSignOut(path: '/sign_out' | '/sign_out_everywhere') {
  return useMutation({
    mutationFn: () => ask<void>('POST', path),
    onSuccess: beginAnew,
  })
}

/** Begins anew, as a stranger: with a page of its own, so that nothing of the person stays in memory. */
export function beginAnew(): void {
  window.location.assign('/sign-in')
}

/** True once it is not the same person any more who is signed in here; the page is left then, for it holds what was the other's. */
export function useIsSomebodyElse(person: PersonWire | null | undefined): boolean {
  const first = useRef<string | null>(null)
  first.current ??= person?.id ?? null
  const isSomebodyElse = person !== undefined && first.current !== null && person?.id !== first.current
  useEffect(() => {
    if (!isSomebodyElse) return
    // Whoever signs in again comes back to this page; to somebody else it is nothing.
    if (person === null) window.location.reload()
    else window.location.assign('/')
  }, [isSomebodyElse, person])
  return isSomebodyElse
}
