import { type QueryKey, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { ask, type Page } from './http.ts'

/** Asking for what is not part of the board, and changing it. */

export function useResource<T>(key: QueryKey, path: string, more: { refetchInterval?: number } = {}) {
  return useQuery({ queryKey: key, queryFn: ({ signal }) => ask<T>('GET', path, { signal }), ...more })
}

/** A list, page after page. `path` has a query already; `every` says in how many ms it is worth looking again. */
export function usePages<T>(key: QueryKey, path: string, every: (data: readonly T[]) => number | false = () => false) {
  return useInfiniteQuery<Page<T>, Error, T[], QueryKey, string | null>({
    queryKey: key,
    queryFn: ({ signal, pageParam }) =>
      ask('GET', pageParam === null ? path : `${path}&cursor=${encodeURIComponent(pageParam)}`, { signal }),
    initialPageParam: null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }) => allOf(pages),
    refetchInterval: ({ state }) => every(allOf(state.data?.pages ?? [])),
  })
}

function allOf<T>(pages: readonly Page<T>[]): T[] {
  return pages.flatMap(({ data }) => data)
}

/**
 * Something that a press asks of the service. A second press while it is on its way asks nothing: it is on its way before the page knows, so `isPending`
 * comes too late to tell.
 */
export function useRequest<In = void, Out = void>(send: (input: In) => Promise<Out>, done?: (out: Out, input: In) => unknown) {
  const isSent = useRef(false)
  const mutation = useMutation({
    mutationFn: (input: In) => send(input).finally(() => (isSent.current = false)),
    ...(done && { onSuccess: done }),
  })
  const { mutate } = mutation
  return {
    ...mutation,
    mutate: (...input: Parameters<typeof mutate>) => {
      if (isSent.current) return
      isSent.current = true
      mutate(...input)
    },
  }
}
