import type { BoardWire } from '@fivetab/domain/board.ts'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { ask } from '../client/http.ts'
import { SESSION_KEY } from '../client/session.ts'
import { useTold } from '../components/told.ts'
import { type Board, boardOnWire } from './board.ts'
import type { Change } from './changes.ts'
import { Conflict, Undone } from './changes.ts'
import { keepConflict } from './conflicts.ts'
import { follow, type Standing } from './live.ts'
import { BOARD_KEY, hasUnsaved, makeChange, usePendingChanges } from './pending.ts'

/** The board as it is shown: what is stored, with the changes that are on their way. */

const BoardContext = createContext<Board | null>(null)
const StandingContext = createContext<Standing>('connecting')

export const WEBHOOKS_KEY = ['webhooks'] as const

export function BoardProvider({
  children,
  loading,
  failed,
}: {
  children: ReactNode
  loading: ReactNode
  failed(again: () => void): ReactNode
}) {
  const client = useQueryClient()
  const {
    data: stored,
    isError,
    refetch,
  } = useQuery({
    queryKey: BOARD_KEY,
    queryFn: async () => boardOnWire(await ask<BoardWire>('GET', '/board')),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  const standing = useFollowing(stored !== undefined)
  const pending = usePendingChanges()
  const shown = useMemo(() => {
    const now = Date.now()
    return stored && pending.reduce((board, change) => change.apply(board, now), stored)
  }, [stored, pending])
  useLeavingWarning(client)
  if (shown === undefined) return isError ? failed(() => void refetch()) : loading
  return (
    <BoardContext value={shown}>
      <StandingContext value={standing}>{children}</StandingContext>
    </BoardContext>
  )
}

function useFollowing(isThere: boolean): Standing {
  const client = useQueryClient()
  const [standing, setStanding] = useState<Standing>('connecting')
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round begins anew
  useEffect(() => {
    if (!isThere) return
    return follow({
      client,
      stands: setStanding,
      webhookChanged: () => void client.invalidateQueries({ queryKey: WEBHOOKS_KEY }),
      sessionDoubted: () => void client.invalidateQueries({ queryKey: SESSION_KEY }),
      lost: () => void readAnew(client).finally(() => setRound((before) => before + 1)),
    })
  }, [client, isThere, round])
  return standing
}

/** The board, and then all that was looked at besides, since nothing has told of its changes. */
async function readAnew(client: QueryClient): Promise<void> {
  await client.refetchQueries({ queryKey: BOARD_KEY })
  void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== BOARD_KEY[0] })
}

/** A page that is closed loses what it has not sent. */
function useLeavingWarning(client: QueryClient): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (hasUnsaved(client)) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [client])
}

export function useBoard(): Board {
  const board = useContext(BoardContext)
  if (board === null) throw new Error('There is no board here.')
  return board
}

export function useStanding(): Standing {
  return useContext(StandingContext)
}

/**
 * Makes a change, and says so where it failed. Answers whether it is stored. What was typed into a change that clashes with another is kept, for the person
 * to look at.
 */
export function useChange(): (change: Change) => Promise<boolean> {
  const client = useQueryClient()
  const { tellFailure } = useTold()
  return useCallback(
    async (change) => {
      try {
        await makeChange(client, change)
        return true
      } catch (error) {
        if (error instanceof Conflict) keepConflict(error)
        else if (!(error instanceof Undone)) tellFailure(error)
        return false
      }
    },
    [client, tellFailure],
  )
}
