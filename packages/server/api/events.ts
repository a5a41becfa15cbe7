import { EVENT_PATTERNS, EVENT_SCOPES, EVENT_TYPES, type EventType, eventToJson, typesOf } from '@fivetab/domain/event.ts'
import { EventShape } from '@fivetab/domain/event-shape.ts'
import { Failure } from '@fivetab/domain/failure.ts'
import { closest, distance } from 'fastest-levenshtein'
import { Type } from 'typebox'
import { readFeed, requireReach, visibleTypes } from '../actions/events.ts'
import { reachOf } from '../store/events.ts'
import type { Api } from './api.ts'
import { actorOf, callerOf } from './caller.ts'
import { operation } from './operation.ts'
import { cursorParameter, DEFAULT_LIMIT, type ListIdentity, limitParameter, listOf, listToJson, readCursor, writeCursor } from './pages.ts'
import { BadRequest, type RequestProblem } from './problem.ts'
import { sendJson } from './reply.ts'
import { conditionsOf } from './request.ts'
import type { Streams } from './streams.ts'

const tag = 'Events'

/** The envelope of lists, and how far the log reaches. */
export const EventList = Type.Object(
  {
    ...listOf(EventShape).properties,
    latest_sequence: Type.Integer({
      minimum: 0,
      description:
        'The sequence of the last event in the log, whether it is shown or not; 0 before the first. Where `has_more` is false all up to it was shown: send it as `after` next time.',
    }),
  },
  { $id: 'EventList', additionalProperties: false, description: 'One page of a log.' },
)

const MAX_TYPES_LENGTH = 500

const afterParameter = Type.Optional(
  Type.Integer({
    minimum: 0,
    // Fifteen digits, as in Last-Event-ID.
    maximum: 999_999_999_999_999,
    examples: [42],
    description:
      'Only what came after the event of this sequence. If the log no longer holds all of that, 400 (`out_of_range`): read everything anew.',
  }),
)

const typesParameter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_TYPES_LENGTH,
    examples: ['task.*,project.deleted'],
    description:
      'Only events of these types: types, all types of a kind (`task.*`), or all there are (`*`), with commas between. If not sent, all that the token may see.',
  }),
)

const FeedQuery = Type.Object(
  { after: afterParameter, types: typesParameter, limit: limitParameter, cursor: cursorParameter },
  { additionalProperties: false },
)

const StreamQuery = Type.Object({ after: afterParameter, types: typesParameter }, { additionalProperties: false })

/** What a stream carries. */
export const EventStream = Type.String({
  $id: 'EventStream',
  description:
    'Server-Sent Events: `id` is the sequence, `data` the event as JSON in one line. A comment comes after 15 s without an event; a block of `id` alone tells how far the stream has come.',
})

const THROUGH = { types: ['integer'] } as const

export function eventRoutes(api: Api, streams: Streams): void {
  api.get(
    '/events',
    operation({
      id: 'listEvents',
      summary: 'Read the log',
      description:
        'Every change in the account, in the order in which they happened; of the kinds that the token’s scopes cover. From the beginning of what is kept, or after `after`. A page can hold fewer events than `limit`, even none, while `has_more` is true: go on.',
      tag,
      scope: EVENT_SCOPES,
      querystring: FeedQuery,
      replies: { 200: { description: 'One page of the log.', shape: EventList } },
    }),
    async (request, reply) => {
      const { after = null, types, limit = DEFAULT_LIMIT, cursor } = request.query
      const by = actorOf(request)
      const visible = visibleTypes(by, readTypes(types))
      const list: ListIdentity = [by.accountId, 'events', { after, types: visible }]
      const [from = after] = (readCursor(cursor, list, THROUGH) ?? []) as number[]
      const page = await blaming('query', cursor === undefined ? 'after' : 'cursor', () =>
        readFeed(by.store, by.accountId, { after: from, types: visible, limit }),
      )
      const next = page.hasMore ? writeCursor([page.through], list) : null
      const rest = { has_more: page.hasMore, next_cursor: next, latest_sequence: page.latest }
      return sendJson(reply, listToJson(page.events.map(eventToJson), rest))
    },
  )

  api.get(
    '/events/stream',
    operation({
      id: 'streamEvents',
      summary: 'Follow the log',
      description:
        'The same events as they happen, as Server-Sent Events: after `Last-Event-ID` (or `after`), or from now on. It ends when the token is revoked or expires. A reader that takes nothing for 10 s is cut off, and can resume.',
      tag,
      scope: EVENT_SCOPES,
      querystring: StreamQuery,
      headers: ['Last-Event-ID'],
      replies: { 200: { description: 'The stream.', shape: EventStream, mediaType: 'text/event-stream' } },
    }),
    async (request, reply) => {
      const caller = callerOf(request)
      const { store, accountId } = caller.actor
      const { lastEventId } = conditionsOf(request)
      const types = visibleTypes(caller.actor, readTypes(request.query.types))
      const after = lastEventId ?? request.query.after ?? null
      if (after !== null) {
        const [place, name] = lastEventId === null ? (['query', 'after'] as const) : (['header', 'Last-Event-ID'] as const)
        await blaming(place, name, () => requireReach(store, accountId, after))
      }
      // Proxies are asked to pass on what comes as it comes.
      reply.headers({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }).type('text/event-stream')
      if (request.method === 'HEAD') return reply.send('')
      return reply.send(streams.open(caller, { types, after: after ?? (await reachOf(store, accountId)).latest }))
    },
  )
}

/** The types that a parameter asks for; null when it is not sent. @throws BadRequest for one that there is not */
function readTypes(text: string | undefined): readonly EventType[] | null {
  if (text === undefined) return null
  const patterns = text.split(',').map((pattern) => pattern.trim())
  const problems = patterns.filter((pattern) => typesOf(pattern).length === 0).map(unknownType)
  if (problems.length > 0) throw new BadRequest(problems)
  // All there are is all that the token may see.
  if (patterns.includes('*')) return null
  const wanted = new Set(patterns.flatMap(typesOf))
  return EVENT_TYPES.filter((type) => wanted.has(type))
}

function unknownType(pattern: string): RequestProblem {
  const near = closest(pattern, EVENT_PATTERNS as string[])
  const hint = distance(pattern, near) <= 4 ? ` Did you mean ${near}?` : ''
  const detail = `There is no event type "${pattern}".${hint} There are ${EVENT_PATTERNS.join(', ')}.`
  return { in: 'query', name: 'types', code: 'invalid_value', detail }
}

/** Carries out `work`; that the log does not reach as far as is asked is the fault of this part of the request. */
async function blaming<T>(place: RequestProblem['in'], name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'out_of_reach') throw error
    throw new BadRequest([{ in: place, name, code: 'out_of_range', detail: error.message }])
  }
}
