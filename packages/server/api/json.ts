/** JSON as the API takes it: stricter than `JSON.parse` in what it would pass over in silence. */

export const MAX_DEPTH = 32

/** Text that is not JSON, or JSON that is not taken. `message` says what is wrong and where. */
export class MalformedJson extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a JSON text.
 * @throws MalformedJson for what is not UTF-8 or not JSON, for an object that has a key twice, and for more than 32 levels
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  const value = parse(text)
  checkStructure(text)
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new MalformedJson('The body is not UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new MalformedJson(`The body is not JSON: ${(error as SyntaxError).message}`)
  }
}

/** Walks through `text`, which is JSON, for what a parsed value no longer shows: keys given twice, and how deep it goes. */
function checkStructure(text: string): void {
  /** The keys of each object that is open, null for an array. */
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : null)
      if (open.length > MAX_DEPTH) throw new MalformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`)
    } else if (character === '}' || character === ']') {
      open.pop()
    } else if (character === '"') {
      const end = endOfString(text, at)
      const keys = open.at(-1)
      if (keys && isKey(text, end)) addKey(keys, JSON.parse(text.slice(at, end)))
      at = end - 1
    }
  }
}

/** The index after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function isKey(text: string, end: number): boolean {
  let at = end
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at++
  return text[at] === ':'
}

function addKey(keys: Set<string>, key: string): void {
  if (keys.has(key)) throw new MalformedJson(`The body has the key ${JSON.stringify(key)} twice in one object.`)
  keys.add(key)
}

/** A text that is the same for JSON-equal values: keys in order, no space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
}
