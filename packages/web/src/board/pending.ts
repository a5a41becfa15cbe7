import { type QueryClient, useMutationState } from '@tanstack/react-query'
import { isPassing, Refused, Unreachable } from '../client/http.ts'
import type { Board } from './board.ts'
import type { Change, Settle } from './changes.ts'

/**
 * Changes on their way. The board that is shown is the board that is stored with all of them applied to it, so nothing has to be taken back when one fails:
 * it is just no longer among them.
 */

export const BOARD_KEY = ['board'] as const
const CHANGE_KEY = ['change'] as const

/** A service that answers with a fault is asked so often; one that cannot be reached until it can. */
const TRIES_WITH_A_FAULT = 5
const LONGEST_PAUSE_MS = 15_000
/** A limit of the minute is waited for; one of the day is not. */
const LONGEST_WAIT_S = 60

/** What a change on its way is kept as. */
interface Making {
  change: Change
}

/** Sends a change, once those of its lane before it are done. Answers when it is stored. @throws what `Change.send` throws */
export function makeChange(client: QueryClient, change: Change): Promise<void> {
  const learn = (settle: Settle) => client.setQueryData<Board>(BOARD_KEY, (board) => board && settle(board))
  const mutation = client.getMutationCache().build<void, Error, Making, unknown>(client, {
    mutationKey: CHANGE_KEY,
    scope: { id: change.lane },
    gcTime: 0,
    mutationFn: async () => {
      learn(await change.send({ board: () => knownBoard(client), learn }))
    },
    // Tried once, whatever the browser thinks of the network; where it is right, the next try waits for the network.
    networkMode: 'offlineFirst',
    retry: isWorthAnotherTry,
    retryDelay: pauseAfter,
  })
  return mutation.execute({ change })
}

export function isWorthAnotherTry(failures: number, error: Error): boolean {
  if (error instanceof Unreachable) return true
  return isPassing(error) && failures < TRIES_WITH_A_FAULT && waitAfter(error) <= LONGEST_WAIT_S
}

/** In ms. */
export function pauseAfter(failures: number, error: Error): number {
  return Math.max(Math.min(500 * 2 ** failures, LONGEST_PAUSE_MS), waitAfter(error) * 1000)
}

/** How many seconds the service wants to be left in peace. */
function waitAfter(error: Error): number {
  return error instanceof Refused ? (error.retryAfter ?? 0) : 0
}

function knownBoard(client: QueryClient): Board {
  const board = client.getQueryData<Board>(BOARD_KEY)
  if (board === undefined) throw new Error('Nothing can be changed before the board is there.')
  return board
}

/** All changes that are on their way, in the order in which they were made. */
export function usePendingChanges(): readonly Change[] {
  return useMutationState({
    filters: { mutationKey: CHANGE_KEY, status: 'pending' },
    select: (mutation) => (mutation.state.variables as Making).change,
  })
}

/** How many changes are not stored yet, and whether the service has been tried in vain. */
export function useUnsaved(): { count: number; isHeldUp: boolean } {
  const held = useMutationState({
    filters: { mutationKey: CHANGE_KEY, status: 'pending' },
    select: (mutation) => mutation.state.failureCount > 0,
  })
  return { count: held.length, isHeldUp: held.some(Boolean) }
}

/** Whether there is anything that would be lost if the page were closed now: what was tried in vain is not sent on leaving either. */
export function hasUnsaved(client: QueryClient): boolean {
  const making = client.getMutationCache().findAll({ mutationKey: CHANGE_KEY, status: 'pending' })
  return making.some(({ state }) => state.failureCount > 0 || !(state.variables as Making).change.isSentOnLeaving)
}

/** Waits for the creations on their way to be answered, `ms` at most. */
export async function creationsAnswered(client: QueryClient, ms: number): Promise<void> {
  const isCreation = () => client.getMutationCache().findAll({ mutationKey: CHANGE_KEY, status: 'pending' }).some(isMaking)
  const deadline = performance.now() + ms
  while (isCreation() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
}

function isMaking({ state }: { state: { variables: unknown } }): boolean {
  return (state.variables as Making).change.lane.includes(':new:')
}
