import { hash } from 'node:crypto'
import type { Positioned } from '@fivetab/domain/position.ts'
import { oneOf, ref } from '@fivetab/domain/shape.ts'
import { type TSchema, Type } from 'typebox'
import type { Order, SortOrder } from '../store/pages.ts'
import type { Value } from '../store/store.ts'
import { canonicalJson } from './json.ts'
import { BadRequest } from './problem.ts'

/** Lists on the wire: the envelope, the page size, and cursors that work only for the list they came from. */

const MAX_CURSOR = 200

export const limitParameter = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 50,
    examples: [20],
    description: 'How many items a page holds at most, 1 to 100; 50 if not sent.',
  }),
)

export const cursorParameter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_CURSOR,
    examples: ['WyIwMTlhYTRhNSJd.r0r7kq0nY0yq9m3uJ8vFfQ'],
    description: 'The `next_cursor` of the previous page, with the same filters and sort.',
  }),
)

export const includeArchivedParameter = Type.Optional(
  oneOf(['true', 'false'], 'Whether archived ones are listed too; `false` if not sent.'),
)

export const DEFAULT_LIMIT = 50

/** The envelope of a list of `item`, as a shape of its own. */
export function listOf<S extends TSchema>(item: S & { $id?: string }) {
  return Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(ref(item), { description: 'The items of this page.' }),
      has_more: Type.Boolean({ description: 'Whether more items follow.' }),
      next_cursor: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: MAX_CURSOR,
        description: 'What to send as `cursor` for the next page; null at the end.',
      }),
    },
    { $id: `${item.$id}List`, additionalProperties: false, description: 'One page of a list.' },
  )
}

export interface ListEnvelope<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  next_cursor: string | null
}

/** A list that always comes whole. */
export function wholeList<T>(data: T[]): ListEnvelope<T> {
  return { object: 'list', data, has_more: false, next_cursor: null }
}

/** What a cursor is bound to: whose list, which list, its filters and its sort; not the page size. */
export type ListIdentity = readonly [accountId: string, list: string, parameters: object]

/** One page out of up to `limit` + 1 `items`. `order` is how they are sorted. */
export function pageOf<T, W>(
  items: readonly T[],
  limit: number,
  list: ListIdentity,
  toWire: (item: T) => W,
  order: SortOrder<T>,
): ListEnvelope<W> {
  const { shown, rest } = cut(items, limit, list, order.keyOf)
  return { object: 'list', data: shown.map(toWire), ...rest }
}

/** What is shown of up to `limit` + 1 items, and what the page says beside them. */
function cut<T>(items: readonly T[], limit: number, list: ListIdentity, keyOf: (item: T) => Value[]) {
  const shown = items.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = items.length > limit && last !== undefined
  return { shown, rest: { has_more: hasMore, next_cursor: hasMore ? writeCursor(keyOf(last), list) : null } }
}

/** One page out of up to `limit` + 1 `items` that are JSON already, as JSON. `key` is an item's place in the list's order. */
export function jsonPageOf(items: readonly { key: Value[]; json: string }[], limit: number, list: ListIdentity): string {
  const { shown, rest } = cut(items, limit, list, ({ key }) => key)
  return listToJson(
    shown.map(({ json }) => json),
    rest,
  )
}

/** The envelope of a list around items that are JSON already; `rest` is what it says beside them. */
export function listToJson(items: readonly string[], rest: Pick<ListEnvelope<never>, 'has_more' | 'next_cursor'>): string {
  return `{"object":"list","data":[${items.join(',')}],${JSON.stringify(rest).slice(1)}`
}

/** The cursor of the page that begins after `key`. */
export function writeCursor(key: readonly Value[], list: ListIdentity): string {
  const place = Buffer.from(JSON.stringify(key)).toString('base64url')
  return `${place}.${sealOf(place, list)}`
}

/** Detects a cursor of another list, or one that was altered. It guards no secret: what a cursor leads to is the account's own in any case. */
function sealOf(place: string, list: ListIdentity): string {
  return hash('sha256', canonicalJson([place, ...list]), 'base64url').slice(0, 22)
}

/** Where the page of `cursor` begins: the values of the columns that its list is sorted by. @throws BadRequest for a cursor that is not of this very list */
export function readCursor(cursor: string | undefined, list: ListIdentity, order: Pick<Order, 'types'>): Value[] | null {
  if (cursor === undefined) return null
  const [place = '', seal] = cursor.split('.')
  const key = seal !== undefined && cursor === `${place}.${sealOf(place, list)}` ? readKey(place) : null
  // The seal keeps mistakes out, not somebody who makes up a cursor by this very source.
  if (key?.length === order.types.length && key.every((value, index) => isOf(order.types[index], value))) return key
  throw new BadRequest([
    {
      in: 'query',
      name: 'cursor',
      code: 'invalid_value',
      detail: 'cursor must be the next_cursor of the previous page, unaltered, with the same filters and sort (limit may differ).',
    },
  ])
}

function isOf(type: Order['types'][number] | undefined, value: Value): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
}

function readKey(place: string): Value[] | null {
  try {
    const key: unknown = JSON.parse(Buffer.from(place, 'base64url').toString())
    return Array.isArray(key) ? key : null
  } catch {
    return null
  }
}

export const sortParameter = Type.Optional(
  oneOf(['created_at', 'position'], 'The order: oldest first (`created_at`, if not sent) or by `position`.'),
)

/** The orders of projects and Workflows. */
export const POSITION_ORDERS: Record<'created_at' | 'position', SortOrder<Positioned>> = {
  created_at: { columns: ['id'], types: ['string'], keyOf: ({ id }) => [id] },
  position: { columns: ['position', 'id'], types: ['number', 'string'], keyOf: ({ position, id }) => [position, id] },
}
