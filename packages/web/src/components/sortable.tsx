import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { attachClosestEdge, type Edge, extractClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge'
import { positionBetween } from '@fivetab/domain/position.ts'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { announce } from './announcer.tsx'
import { Icon } from './icon.tsx'
import styles from './sortable.module.css'
import { useKeptFocus } from './use-kept-focus.ts'

/** A list that people put in order: by dragging a thing by its handle, or with the arrow keys upon it. */

interface Sorted {
  id: string
  position: number
}

interface SortableProps<T extends Sorted> {
  /** Things of one kind can be dragged from one list to another. */
  kind: string
  /** In order. */
  items: readonly T[]
  nameOf(item: T): string
  /** A thing, of this list or of another of its kind, comes to stand at this position here. */
  onMove(id: string, position: number): void
  label: string
  /** What stands there while there is nothing. */
  empty?: ReactNode
  /** What of a thing is shown beside its handle. */
  children(item: T): ReactNode
}

export function Sortable<T extends Sorted>({ kind, items, nameOf, onMove, label, empty, children }: SortableProps<T>) {
  const { sortable } = useTexts()
  const { list, isOver } = useListTarget(kind, (id) => {
    const last = items.filter((item) => item.id !== id).at(-1)
    onMove(id, positionBetween(last?.position ?? null, null))
  })
  useKeptFocus(
    list,
    items.map(({ id }) => id),
  )

  /** Where a thing comes to stand before or after the one at `index`, leaving itself out of the count. */
  function place(id: string, index: number, edge: Edge | null): void {
    const target = items[index]
    if (target === undefined || target.id === id) return
    const others = items.filter((item) => item.id !== id)
    const at = others.indexOf(target) + (edge === 'bottom' ? 1 : 0)
    onMove(id, positionBetween(others[at - 1]?.position ?? null, others[at]?.position ?? null))
  }

  function moveByKey(event: KeyboardEvent, item: T, index: number): void {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (step === 0 || items[index + step] === undefined) return
    event.preventDefault()
    place(item.id, index + step, step < 0 ? 'top' : 'bottom')
    announce(sortable.moved(nameOf(item), index + step + 1, items.length))
  }

  return (
    <ul ref={list} aria-label={label} className={styles.list} data-over={isOver || undefined}>
      {items.length === 0 && empty && <li className={styles.empty}>{empty}</li>}
      {items.map((item, index) => (
        <SortableItem
          key={item.id}
          kind={kind}
          id={item.id}
          handleLabel={sortable.move(nameOf(item))}
          onKeyDown={(event) => moveByKey(event, item, index)}
          onDrop={(id, edge) => place(id, index, edge)}
        >
          {children(item)}
        </SortableItem>
      ))}
    </ul>
  )
}

/** The list itself takes what is dropped on none of its things, for one that is empty too: it comes to stand at its end. */
function useListTarget(kind: string, onDrop: (id: string) => void) {
  const list = useRef<HTMLUListElement>(null)
  const drop = useRef(onDrop)
  drop.current = onDrop
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const element = list.current
    if (element === null) return
    const isInnermost = (targets: readonly { element: Element }[]) => targets[0]?.element === element
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data.kind === kind,
      onDrag: ({ location }) => setOver(isInnermost(location.current.dropTargets)),
      onDragLeave: () => setOver(false),
      onDrop: ({ source, location }) => {
        setOver(false)
        if (isInnermost(location.current.dropTargets)) drop.current(String(source.data.id))
      },
    })
  }, [kind])
  return { list, isOver }
}

interface ItemProps {
  kind: string
  id: string
  handleLabel: string
  onKeyDown(event: KeyboardEvent): void
  onDrop(id: string, edge: Edge | null): void
  children: ReactNode
}

function SortableItem({ kind, id, handleLabel, onKeyDown, onDrop, children }: ItemProps) {
  const element = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLButtonElement>(null)
  const drop = useRef(onDrop)
  drop.current = onDrop
  const [edge, setEdge] = useState<Edge | null>(null)
  const [isDragged, setDragged] = useState(false)

  useEffect(() => {
    if (element.current === null || handle.current === null) return
    return combine(
      draggable({
        element: element.current,
        dragHandle: handle.current,
        getInitialData: () => ({ kind, id }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element: element.current,
        canDrop: ({ source }) => source.data.kind === kind && source.data.id !== id,
        getData: ({ input, element }) => attachClosestEdge({}, { input, element, allowedEdges: ['top', 'bottom'] }),
        onDrag: ({ self }) => setEdge(extractClosestEdge(self.data)),
        onDragLeave: () => setEdge(null),
        onDrop: ({ source, self }) => {
          setEdge(null)
          drop.current(String(source.data.id), extractClosestEdge(self.data))
        },
      }),
    )
  }, [kind, id])

  return (
    <li ref={element} className={styles.item} data-edge={edge ?? undefined} data-dragged={isDragged || undefined}>
      <button ref={handle} type="button" className={styles.handle} aria-label={handleLabel} title={handleLabel} onKeyDown={onKeyDown}>
        <Icon name="grip" size={18} />
      </button>
      <div className={styles.thing}>{children}</div>
    </li>
  )
}
