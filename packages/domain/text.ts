import type { FieldProblem, Read } from './failure.ts'

/** How text is stored: its ends trimmed, line ends as LF, nothing in it that a terminal, a database or a JSON reader could stumble over. */

/** `line` is one line; `lines` may hold newlines and tabs. */
export type TextKind = 'line' | 'lines'

export function tidy(text: string): string {
  const lines = text.replaceAll('\r\n', '\n')
  // Trimming would take away three control characters as well, which are to be refused wherever they stand.
  return /[\v\f\r]/.test(lines) ? lines : lines.trim()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what these are for
const CONTROL = { line: /[\u0000-\u001f\u007f-\u009f]/, lines: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/ }

/** What makes `text` unfit to be stored, for a person to read; null when it is fit. */
export function unfitCharacter(text: string, kind: TextKind): string | null {
  if (!text.isWellFormed()) return 'holds half of a surrogate pair, which is no character'
  const found = CONTROL[kind].exec(text)
  if (found === null) return null
  const code = `U+${found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  return `holds the control character ${code}`
}

const ONE_EMOJI = /^\p{RGI_Emoji}$/v

/** Longer than any emoji there is. */
const MAX_EMOJI_LENGTH = 40

/** True for one emoji, also when it is spelled without (some of) the variation selectors that ask for a picture. */
export function isOneEmoji(text: string): boolean {
  if (text.length > MAX_EMOJI_LENGTH) return false
  return ONE_EMOJI.test(text) || (!/\uFE0F\uFE0F/.test(text) && ONE_EMOJI.test(fullySpelled(text)))
}

/** `text` with a variation selector after each character that is not a picture by itself and takes no skin tone. */
function fullySpelled(text: string): string {
  return text.replaceAll('\uFE0F', '').replace(/(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu, '$&\uFE0F')
}

/** Text as it is compared in a search: compatibility forms and case folded away, also where a letter's small form depends on its place (σ, ς). */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ')
}

/** True for text that holds no line ends, control characters or broken characters. */
export function isOneLine(text: string): boolean {
  return unfitCharacter(text, 'line') === null
}

/** One line of 1 to `max` code points. `what` begins a sentence; `field` is where the text was given. */
export function readLine(what: string, field: string, text: string, max: number): Read<string> {
  const value = tidy(text)
  const length = [...value].length
  const problems: FieldProblem[] = []
  if (length === 0) problems.push({ field, code: 'too_short', detail: `${what} must not be empty.` })
  if (length > max)
    problems.push({ field, code: 'too_long', detail: `${what} must have at most ${max} characters, and this has ${length}.` })
  if (!isOneLine(value)) problems.push({ field, code: 'invalid_value', detail: `${what} must be one line of ordinary characters.` })
  return { value, problems }
}
