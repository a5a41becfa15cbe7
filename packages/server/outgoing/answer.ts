/** What is kept of the answers of servers that are not ours, which may hold anything and go on for ever. */

/** After so much the rest of a body is not read. */
const MOST_BYTES_READ = 64 * 1024
const BYTES_KEPT = 4 * 1024
/** 31 years. */
const MAX_SECONDS_DIGITS = 9

/**
 * The first 4 KiB of a body as plain text. What is no UTF-8 becomes U+FFFD; the last character is left out if it is not whole. At most 64 KiB are read,
 * then the body is destroyed, and its connection with it.
 * @throws whatever the body is destroyed with
 */
export async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  let kept = Buffer.alloc(0)
  let bytesRead = 0
  for await (const chunk of body) {
    if (kept.length < BYTES_KEPT) kept = Buffer.concat([kept, chunk.subarray(0, BYTES_KEPT - kept.length)])
    bytesRead += chunk.length
    if (bytesRead >= MOST_BYTES_READ) break
  }
  return plain(new TextDecoder().decode(kept, { stream: true }))
}

/** The text with U+FFFD for every control character but tab and the ends of lines: PostgreSQL takes no NUL, and a terminal takes all of them. */
export function plain(text: string): string {
  return text.toWellFormed().replace(/[^\P{Cc}\t\n\r]/gu, '\uFFFD')
}

/** How long Retry-After asks to wait, in ms from `now` (ms since the epoch), 0 for a time that is past; null when it says nothing usable. */
export function retryAfterOf(header: string | string[] | undefined, now: number): number | null {
  const text = (typeof header === 'string' ? header : (header?.[0] ?? '')).trim()
  if (/^\d+$/.test(text)) return text.length > MAX_SECONDS_DIGITS ? null : Number(text) * 1_000
  // The one form of a date that may be sent (RFC 9110, 5.6.7). Date.parse by itself takes nearly anything.
  const time = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : Math.max(0, time - now)
}
