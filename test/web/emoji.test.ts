import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isOneEmoji } from '@fivetab/domain/text.ts'
import { COMMON_EMOJI, emojiIn } from '../../packages/web/src/pages/workflows/emoji.ts'

describe('the emoji in what was typed', () => {
  const TYPED: [name: string, text: string, emoji: string | null | undefined][] = [
    ['is the one that stands there', '🚀', '🚀'],
    ['is the last of several, so that typing one replaces another', '🚀🌱', '🌱'],
    ['may be put together of many', ' 🧑‍💻 ', '🧑‍💻'],
    ['is none where nothing stands', '  ', null],
    ['is not known where a letter stands', 'a', undefined],
    ['is not known where a letter comes last', '🚀a', undefined],
  ]

  for (const [name, text, emoji] of TYPED) {
    it(name, () => {
      assert.equal(emojiIn(text), emoji)
    })
  }
})

describe('the emoji to choose from', () => {
  it('are such as the service takes', () => {
    assert.deepEqual(
      COMMON_EMOJI.filter((emoji) => !isOneEmoji(emoji)),
      [],
    )
  })
})
