import { tidy } from '@fivetab/domain/text.ts'
import { useTexts } from '../../texts/texts.tsx'

/** What is wrong with a text of at most so many characters, for the person. `needed` is said of an empty one, where there has to be something. */
export function useTextProblem(most: number, needed: string | null = null): (text: string) => string | null {
  const { task } = useTexts()
  return (text) => {
    const { length } = [...tidy(text)]
    if (length === 0) return needed
    return length > most ? task.tooLong(most, length) : null
  }
}
