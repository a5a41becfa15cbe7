import { Type } from 'typebox'

/** The five states of a task, in tab order. Labels and colours may change; these keys never do. */
export const DISPOSITIONS = ['not_started', 'in_progress', 'waiting', 'on_hold', 'done'] as const

export type Disposition = (typeof DISPOSITIONS)[number]

/** The Dispositions that a Status can have: `not_started` has none. */
export const STATUS_DISPOSITIONS = ['in_progress', 'waiting', 'on_hold', 'done'] as const

export type StatusDisposition = (typeof STATUS_DISPOSITIONS)[number]

const DEFAULT_TABS: Record<Disposition, { label: string; color: string }> = {
  not_started: { label: 'Not started', color: '#8a8f98' },
  in_progress: { label: 'Today', color: '#2f6fed' },
  waiting: { label: 'Waiting', color: '#b7791f' },
  on_hold: { label: 'Later', color: '#7c5cd6' },
  done: { label: 'Done', color: '#2f9e5b' },
}

export const DispositionKey = Type.Enum([...DISPOSITIONS], {
  description:
    'The key of a Disposition. It never changes, whatever the tab is called: `in_progress` is the Today tab, `on_hold` is Later.',
})

export const DispositionShape = Type.Object(
  {
    object: Type.Literal('disposition'),
    key: DispositionKey,
    label: Type.String({ description: "The tab's current label." }),
    color: Type.String({ pattern: '^#[0-9a-f]{6}$', description: "The tab's current colour, `#rrggbb`." }),
    position: Type.Integer({ minimum: 1, maximum: 5, description: 'The place of the tab, from 1.' }),
  },
  {
    $id: 'Disposition',
    additionalProperties: false,
    description: 'One of the five fixed states of a task, with the current label and colour of its tab.',
    examples: [{ object: 'disposition', key: 'in_progress', label: 'Today', color: '#2f6fed', position: 2 }],
  },
)

/** The five Dispositions in tab order, in their wire form. */
export function dispositionsToWire(): Type.Static<typeof DispositionShape>[] {
  return DISPOSITIONS.map((key, index) => ({ object: 'disposition', key, ...DEFAULT_TABS[key], position: index + 1 }))
}
