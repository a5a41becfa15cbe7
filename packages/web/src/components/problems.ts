import { problemWith, Refused } from '../client/http.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'

/** What is wrong with what was typed, field by field, for the person who typed it. */

/** The words of a form of its own, by `field.code`, where they are others than the catalogue's. */
export type OwnWords = Readonly<Record<string, string>>

/** What is wrong with a field: in the words of the form or of the catalogue where there are some, else in those of the service. */
function problemInWords(error: unknown, field: string, { problems }: Texts, own: OwnWords = {}): string | undefined {
  const problem = problemWith(error, field)
  if (problem === undefined) return undefined
  const known: Partial<Record<string, string>> = { ...problems, ...own }
  return known[`${field}.${problem.code}`] ?? known[problem.code] ?? problem.detail
}

export function useProblems(error: unknown, own?: OwnWords): (field: string) => string | undefined {
  const texts = useTexts()
  return (field) => problemInWords(error, field, texts, own)
}

/** Whether all that is wrong is said beside one of these fields. */
export function isToldBeside(error: unknown, fields: readonly string[]): boolean {
  const problems = error instanceof Refused ? (error.problem.errors ?? []) : []
  return problems.length > 0 && problems.every(({ name }) => fields.includes(name))
}
