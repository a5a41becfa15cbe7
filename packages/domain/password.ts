import type { FieldProblem } from './failure.ts'
import { unfitCharacter } from './text.ts'

/** What a password may be. How it is kept and checked is not decided here. */

/** In code points, after normalisation. */
export const PASSWORD_LENGTH = { min: 10, max: 256 } as const

/** The password as it is hashed, and so compared: the same whichever way a keyboard composes its characters. Spaces at its ends belong to it. */
export function normalisedPassword(text: string): string {
  return text.normalize('NFKC')
}

/** Every reason why an account with this address may not have this password. `field` is where it was sent. */
export function passwordProblems(password: string, email: string, field = 'password'): FieldProblem[] {
  const normalised = normalisedPassword(password)
  const length = [...normalised].length
  const { min, max } = PASSWORD_LENGTH
  const unfit = unfitCharacter(normalised, 'line')
  const problems: FieldProblem[] = []
  const say = (code: FieldProblem['code'], detail: string) => problems.push({ field, code, detail })
  if (length < min) say('too_short', `A password must have at least ${min} characters.`)
  if (length > max) say('too_long', `A password must have at most ${max} characters.`)
  if (unfit !== null) say('invalid_value', `The password ${unfit}.`)
  if (length >= min && isEasilyGuessed(normalised, email))
    say('invalid_value', 'This password is too easily guessed: it is the e-mail address, or one thing repeated.')
  return problems
}

/** True for one character repeated, for the address, and for its local part, however often. */
function isEasilyGuessed(password: string, email: string): boolean {
  const [given, address] = [password.toLowerCase(), normalisedPassword(email).toLowerCase()]
  const [first = ''] = given
  const [local = ''] = address.split('@')
  return [first, address, local].some((piece) => piece !== '' && given.replaceAll(piece, '') === '')
}
