import { versionToWire } from '@fivetab/domain/shape.ts'
import type { Precondition } from '@fivetab/domain/version.ts'

/** Conditional requests (RFC 9110, section 13), with one kindness: a tag may come without its quotes. */

const TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/
const BARE = /^[0-9A-Za-z]+$/

/** The tags that `header` lists, `*`, or undefined for a header that is none of this. Bare values are given their quotes. */
function parseTags(header: string): '*' | string[] | undefined {
  const items = header.split(',').map((item) => item.trim())
  if (items.length === 1 && items[0] === '*') return '*'
  const tags = items.map((item) => (BARE.test(item) ? `"${item}"` : item))
  return tags.every((tag) => TAG.test(tag)) ? tags : undefined
}

/** What `If-Match` demands; undefined for a value that is malformed. A weak tag never matches. */
export function parseIfMatch(header: string | undefined): Precondition | undefined {
  if (header === undefined) return null
  const tags = parseTags(header)
  return Array.isArray(tags) ? tags.filter((tag) => !tag.startsWith('W/')) : tags
}

/** What `If-None-Match` names; undefined for a value that is malformed. Here a weak tag counts as the strong one. */
export function parseIfNoneMatch(header: string | undefined): Precondition | undefined {
  if (header === undefined) return null
  const tags = parseTags(header)
  return Array.isArray(tags) ? tags.map((tag) => tag.replace(/^W\//, '')) : tags
}

/** True when the client has this version already, as its `If-None-Match` says. */
export function isKnown(noneMatch: Precondition, version: number): boolean {
  return noneMatch === '*' || noneMatch?.includes(versionToWire(version)) === true
}
