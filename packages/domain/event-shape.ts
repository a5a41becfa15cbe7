import { Type } from 'typebox'
import { DispositionShape } from './disposition.ts'
import { CAUSES, EVENT_TYPES, TEST_EVENT } from './event.ts'
import { ProjectShape } from './project.ts'
import { dateTime, id, nullable, oneOf, ref, shape } from './shape.ts'
import { StatusShape } from './status.ts'
import { TaskShape } from './task-shape.ts'
import { WebhookShape } from './webhook.ts'
import { WorkflowShape } from './workflow.ts'

/** An event in its wire form, which `eventToJson` writes. */

const actor = Type.Object({ token_id: id('The token of the request.') }, { additionalProperties: false })

const resources = [TaskShape, ProjectShape, WorkflowShape, StatusShape, DispositionShape, WebhookShape]

export const EventShape = shape(
  'Event',
  'One change of one resource.',
  {
    object: Type.Literal('event'),
    id: id('The id of the event; of a delivery, it is the `webhook-id` too.'),
    sequence: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      description: "Its place in the account's log: 1, 2, 3 without gaps. Null for a test of a webhook, which is in no log.",
    }),
    type: oneOf([...EVENT_TYPES, TEST_EVENT], 'What happened.'),
    occurred_at: dateTime('When it happened; RFC 3339, UTC, milliseconds.'),
    cause: oneOf(
      CAUSES,
      'What made the change: a request (`api`), the app, a timer, another resource’s change in the same request (`cascade`), or the operator.',
    ),
    actor: Type.Unsafe<{ token_id: string } | null>({ anyOf: [actor, { type: 'null' }], description: 'Whose request it was, if one’s.' }),
    request_id: nullable(id('The request that made the change; its answer had this as `X-Request-Id`.')),
    data: Type.Unsafe<object>({
      anyOf: resources.map((resource) => ref(resource)),
      description: 'The resource as lists show it; for a deletion, its last state.',
    }),
    previous: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The former values of those of its fields that changed; empty for a creation and a deletion.',
    }),
  },
  {
    object: 'event',
    id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a60',
    sequence: 42,
    type: 'project.updated',
    occurred_at: '2026-11-21T07:00:00.000Z',
    cause: 'api',
    actor: { token_id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a10' },
    request_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
    data: (ProjectShape as unknown as { examples: object[] }).examples[0],
    previous: { name: 'Move', version: '"1"' },
  },
)
