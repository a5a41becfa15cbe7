import { type Static, Type } from 'typebox'
import { nullable, shape, text } from './shape.ts'

/** The five states of a task, in tab order. Labels and colours are each account's own; these keys never change. */
export const DISPOSITIONS = ['not_started', 'in_progress', 'waiting', 'on_hold', 'done'] as const

export type Disposition = (typeof DISPOSITIONS)[number]

/** The Dispositions that a Status can have: `not_started` has none. */
export const STATUS_DISPOSITIONS = ['in_progress', 'waiting', 'on_hold', 'done'] as const

export type StatusDisposition = (typeof STATUS_DISPOSITIONS)[number]

/** What an account has made of the tab of a Disposition; null where it left it as it was. */
export interface Tab {
  label: string | null
  color: string | null
}

/** An account's tabs; those that it left as they were may be missing. */
export type Tabs = ReadonlyMap<Disposition, Tab>

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

export const UpdateDispositionShape = shape(
  'UpdateDisposition',
  'Only the fields that are sent change; null is back to how it was at first.',
  {
    label: Type.Optional(nullable(text('line', 1, 40, 'What the tab is called; 1 to 40 characters, or null.'))),
    color: Type.Optional(nullable(Type.String({ format: 'color', description: "The tab's colour, `#rrggbb` in small letters, or null." }))),
  },
  { label: 'This week', color: '#2f6fed' },
)

export type DispositionWire = Static<typeof DispositionShape>
export type UpdateDisposition = Static<typeof UpdateDispositionShape>

export function dispositionToWire(key: Disposition, tab: Tab | undefined): DispositionWire {
  const { label, color } = DEFAULT_TABS[key]
  return {
    object: 'disposition',
    key,
    label: tab?.label ?? label,
    color: tab?.color ?? color,
    position: DISPOSITIONS.indexOf(key) + 1,
  }
}

/** The five Dispositions in tab order, in their wire form. */
export function dispositionsToWire(tabs: Tabs): DispositionWire[] {
  return DISPOSITIONS.map((key) => dispositionToWire(key, tabs.get(key)))
}

/** The tab after a change. What it was at first is nothing that the account made of it. */
export function patchTab(key: Disposition, tab: Tab | undefined, input: UpdateDisposition): Tab {
  const { label = tab?.label ?? null, color = tab?.color ?? null } = input
  const first = DEFAULT_TABS[key]
  return { label: label === first.label ? null : label, color: color === first.color ? null : color }
}
