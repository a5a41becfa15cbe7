import type { Reader, Writer } from './store.ts'

/** Counts of what may be tried so many times in a quarter of an hour. The windows are fixed: each begins with the first try in it. */

export const TRIES_WINDOW_MS = 15 * 60_000

/** One try of what a key stands for, out of the window that began at `beganAt` (ms since the epoch). */
export interface Try {
  key: string
  beganAt: number
}

/** A window that is over; and one that begins absurdly late was made by a clock that is set wrong, and counts for nothing. */
const isOver = (now: string) => `(tries.began_at + ${TRIES_WINDOW_MS} <= ${now} or tries.began_at - ${TRIES_WINDOW_MS} > ${now})`

/** Takes one try out of at most `limit`; undefined when all are taken. `now` is in ms since the epoch. */
export async function claimTry(writer: Writer, key: string, limit: number, now: number): Promise<Try | undefined> {
  const row = await writer.one<{ began_at: number }>(
    `insert into tries (key, began_at, used) values ($1, $2, 1)
     on conflict (key) do update set
       used = case when ${isOver('$2')} then 1 else tries.used + 1 end,
       began_at = case when ${isOver('$2')} then $2 else tries.began_at end
     where tries.used < $3 or ${isOver('$2')}
     returning began_at`,
    [key, now, limit],
  )
  return row && { key, beganAt: row.began_at }
}

/** Gives a try back to its window, if that is still the one that counts. */
export async function giveBackTry(writer: Writer, { key, beganAt }: Try): Promise<void> {
  await writer.put('update tries set used = used - 1 where key = $1 and began_at = $2 and used > 0', [key, beganAt])
}

/** How many tries of a key were taken in the window that counts at `now`, and when that began. */
export async function triesOf(reader: Reader, key: string, now: number): Promise<{ used: number; beganAt: number }> {
  const row = await reader.one<{ used: number; began_at: number }>(
    `select used, began_at from tries where key = $1 and not ${isOver('$2')}`,
    [key, now],
  )
  return row === undefined ? { used: 0, beganAt: now } : { used: row.used, beganAt: row.began_at }
}

/** Forgets up to `limit` counts that began before `time` (ms since the epoch); returns how many. `holding` is the dialect's. */
export function deleteTriesBefore(writer: Writer, time: number, limit: number, holding: string): Promise<number> {
  return writer.run(
    `delete from tries where key in (select o.key from tries o where o.began_at < $1 order by o.began_at limit $2${holding})`,
    [time, limit],
  )
}
