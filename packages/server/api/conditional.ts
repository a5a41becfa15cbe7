import { versionToWire } from '@fivetab/domain/shape.ts'
import type { Precondition } from '@fivetab/domain/version.ts'

/** Conditional requests (RFC 9110, section 13), with one kindness: a tag may come without its quotes. */

const TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/
const BARE = /^[0-9A-Za-z]+$/
/** Items between commas; a comma inside quotes is part of its item. */
const ITEMS = /(?:[^",]|"[^"]*")+/g
const BALANCED = /^(?:[^"]|"[^"]*")*$/

/** The tags that `header` lists, `*`, or undefined for a header that is none of this. Bare values are given their quotes. */
function parseTags(header: string): '*' | string[] | undefined {
  if (!BALANCED.test(header)) return undefined
  const items = (header.match(ITEMS) ?? []).map((item) => item.trim()).filter((item) => item !== '')
  if (items.length === 1 && items[0] === '*') return '*'
  const tags = items.map((item) => (BARE.test(item) ? `"${item}"` : item))
  return tags.length > 0 && tags.every((tag) => TAG.test(tag)) ? tags : undefined
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
