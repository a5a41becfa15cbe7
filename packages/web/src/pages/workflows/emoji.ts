import { isOneEmoji } from '@fivetab/domain/text.ts'

/** Those that Workflows are often given. */
export const COMMON_EMOJI = ['✍️', '📦', '🎨', '🛠️', '🧪', '📣', '💬', '📅', '🏠', '🌱', '🎯', '🚀']

/** The emoji in what was typed into the place for one: the last that stands there; null for nothing, undefined for something else. */
export function emojiIn(text: string): string | null | undefined {
  const characters = [...new Intl.Segmenter().segment(text.trim())].map(({ segment }) => segment)
  const last = characters.at(-1)
  if (last === undefined) return null
  return isOneEmoji(last) ? last : undefined
}
