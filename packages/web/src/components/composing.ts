/** What Safari calls the key that ends a composition, of which it says nothing else. */
const KEY_OF_COMPOSITION = 229

/** Whether a key belongs to the letters that are being composed, as those of Japanese are, and not to the page. */
export function isComposing({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === KEY_OF_COMPOSITION
}
