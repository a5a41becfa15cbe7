import type { Read } from './failure.ts'
import { readLine, tidy } from './text.ts'

/** What people say of themselves when they sign up, and may change later. Each comes back tidied, with every reason why it cannot be taken. */

const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/
const MAX_EMAIL = 254
export const MAX_NAME = 200

/** Addresses are told apart without regard to case, and kept in small letters. */
export function readEmail(text: string): Read<string> {
  const { value, problems } = readLine('The e-mail address', 'email', text, MAX_EMAIL)
  const email = value.toLowerCase()
  if (problems.length === 0 && !EMAIL.test(email)) {
    const detail = `"${email}" is no e-mail address; one looks like ada@example.org.`
    problems.push({ field: 'email', code: 'invalid_format', detail })
  }
  return { value: email, problems }
}

/** A person's name; null for none, and so for nothing but spaces. */
export function readName(text: string | null): Read<string | null> {
  if (text === null || tidy(text) === '') return { value: null, problems: [] }
  return readLine('The name', 'name', text, MAX_NAME)
}

/** The name of a time zone as the IANA spells it. */
export function readTimeZone(text: string): Read<string> {
  try {
    // Known to JavaScript, and to nobody who looks names up.
    if (/^[+-]/.test(text)) throw new RangeError('An offset is no name.')
    return { value: new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone, problems: [] }
  } catch {
    const detail = `"${text}" is no time zone; one looks like Europe/Berlin.`
    return { value: text, problems: [{ field: 'time_zone', code: 'invalid_value', detail }] }
  }
}
