import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { type Group, WITHOUT } from '../../board/groups.ts'

/** The list as it is laid out: headings and rows, one below the other. */

interface HeadingItem {
  key: string
  kind: 'heading'
  group: Group
}

interface RowItem {
  key: string
  kind: 'row'
  group: Group
  task: TaskWire
  /** The place in the group, from 1. */
  place: number
}

export type ListItem = HeadingItem | RowItem

/** Groups that hold nothing are there only while something can be dropped onto them. */
export function itemsOf(groups: readonly Group[], areEmptyShown: boolean): ListItem[] {
  const shown = groups.filter(({ tasks }) => tasks.length > 0 || (areEmptyShown && groups.length > 1))
  const isPlain = shown.length === 1 && shown[0]?.key === WITHOUT
  return shown.flatMap((group) => [
    ...(isPlain ? [] : [{ key: `heading ${group.key}`, kind: 'heading', group } as const]),
    ...group.tasks.map((task, index): RowItem => ({ key: task.id, kind: 'row', group, task, place: index + 1 })),
  ])
}

/** What is in the page of each group, in order. */
export interface Section<T> {
  group: Group
  parts: T[]
}

export function sectionsOf<T extends { item: ListItem }>(parts: readonly T[]): Section<T>[] {
  const sections: Section<T>[] = []
  for (const part of parts) {
    const last = sections.at(-1)
    if (last?.group.key === part.item.group.key) last.parts.push(part)
    else sections.push({ group: part.item.group, parts: [part] })
  }
  return sections
}
