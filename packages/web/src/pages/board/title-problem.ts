import { tidy } from '@fivetab/domain/text.ts'
import type { Texts } from '../../texts/en.ts'

/** In characters, as the service counts them. */
export const TITLE_MAX = 500

/** What is wrong with a title while it is being typed. */
export function titleProblem(title: string, { board }: Pick<Texts, 'board'>): string | undefined {
  // No character is longer than two units, so most titles need no counting.
  if (title.length <= TITLE_MAX) return undefined
  const length = [...tidy(title)].length
  return length > TITLE_MAX ? board.titleTooLong(length, TITLE_MAX) : undefined
}
