import { draggable, dropTargetForElements, monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { pointerOutsideOfPreview } from '@atlaskit/pragmatic-drag-and-drop/element/pointer-outside-of-preview'
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview'
import type { TaskWire } from '@fivetab/domain/task-shape.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import styles from './dragging.module.css'

/** Dragging a task by its row onto whatever takes it. */

const KIND = 'task'

function taskOf(source: { data: Record<string | symbol, unknown> }): TaskWire | null {
  return source.data.kind === KIND ? (source.data.task as TaskWire) : null
}

/** Lets `element` be dragged as `task`. True while it is. */
export function useTaskDragged(element: RefObject<HTMLElement | null>, task: TaskWire, isEnabled: boolean): boolean {
  const [isDragged, setDragged] = useState(false)
  const latest = useRef(task)
  latest.current = task
  useEffect(() => {
    if (element.current === null || !isEnabled) return
    return draggable({
      element: element.current,
      getInitialData: () => ({ kind: KIND, task: latest.current }),
      onGenerateDragPreview: ({ nativeSetDragImage }) =>
        setCustomNativeDragPreview({
          nativeSetDragImage,
          getOffset: pointerOutsideOfPreview({ x: '1rem', y: '0.5rem' }),
          render: ({ container }) => {
            const preview = document.createElement('div')
            preview.className = styles.preview ?? ''
            preview.textContent = latest.current.title
            container.append(preview)
          },
        }),
      onDragStart: () => setDragged(true),
      onDrop: () => setDragged(false),
    })
  }, [element, isEnabled])
  return isDragged
}

interface Target {
  takes(task: TaskWire): boolean
  drop(task: TaskWire): void
}

/** Lets tasks be dropped onto `element`. True while one that it takes is held over it. */
export function useTaskTarget(element: RefObject<HTMLElement | null>, target: Target): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(target)
  latest.current = target
  useEffect(() => {
    if (element.current === null) return
    return dropTargetForElements({
      element: element.current,
      canDrop: ({ source }) => {
        const task = taskOf(source)
        return task !== null && latest.current.takes(task)
      },
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: ({ source }) => {
        setOver(false)
        const task = taskOf(source)
        if (task !== null) latest.current.drop(task)
      },
    })
  }, [element])
  return isOver
}

/** The id of the task that is being dragged, if one is. */
export function useDraggedTask(): string | null {
  const [id, setId] = useState<string | null>(null)
  useEffect(
    () =>
      monitorForElements({
        canMonitor: ({ source }) => taskOf(source) !== null,
        onDragStart: ({ source }) => setId(taskOf(source)?.id ?? null),
        onDrop: () => setId(null),
      }),
    [],
  )
  return id
}
