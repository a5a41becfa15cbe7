import { type EventType, formerValues, taskEventType } from '@fivetab/domain/event.ts'
import { type Project, projectToWire } from '@fivetab/domain/project.ts'
import { type Status, statusToWire } from '@fivetab/domain/status.ts'
import { isActive, type Task } from '@fivetab/domain/task.ts'
import { taskToWire } from '@fivetab/domain/task-shape.ts'
import { type Workflow, workflowToWire } from '@fivetab/domain/workflow.ts'
import { insertEvent } from '../store/events.ts'
import { deleteProject, insertProject, updateProject } from '../store/projects.ts'
import { deleteStatus, insertStatus, updateStatus } from '../store/statuses.ts'
import type { Writer } from '../store/store.ts'
import { deleteTask, insertTask, updateTask } from '../store/tasks.ts'
import type { Turn } from '../store/turn.ts'
import { deleteWorkflow, insertWorkflow, updateWorkflow } from '../store/workflows.ts'
import type { Actor } from './actor.ts'

/**
 * Storing and recording in one: whatever is added, saved or removed here is an event in the account's log, of the same turn. Nothing else writes
 * these resources.
 */

interface Versioned {
  id: string
  updatedAt: number
  version: number
}

/** How one kind of resource is stored and told of. `json` is its wire form. */
interface Kind<T extends Versioned> {
  insert(writer: Writer, accountId: string, resource: T, json: string): Promise<void>
  update(writer: Writer, accountId: string, resource: T, json: string): Promise<void>
  delete(writer: Writer, accountId: string, id: string): Promise<void>
  toWire(resource: T): object
  created: EventType
  deleted: EventType
  changed(before: T, after: T): EventType
}

const TASK: Kind<Task> = {
  insert: insertTask,
  update: updateTask,
  delete: deleteTask,
  toWire: taskToWire,
  created: 'task.created',
  deleted: 'task.deleted',
  changed: taskEventType,
}

const PROJECT: Kind<Project> = {
  insert: insertProject,
  update: updateProject,
  delete: deleteProject,
  toWire: projectToWire,
  created: 'project.created',
  deleted: 'project.deleted',
  changed: () => 'project.updated',
}

const WORKFLOW: Kind<Workflow> = {
  insert: insertWorkflow,
  update: updateWorkflow,
  delete: deleteWorkflow,
  toWire: workflowToWire,
  created: 'workflow.created',
  deleted: 'workflow.deleted',
  changed: () => 'workflow.updated',
}

const STATUS: Kind<Status> = {
  insert: insertStatus,
  update: updateStatus,
  delete: deleteStatus,
  toWire: statusToWire,
  created: 'status.created',
  deleted: 'status.deleted',
  changed: () => 'status.updated',
}

export async function addTask(tx: Turn, by: Actor, task: Task): Promise<Task> {
  countActive(tx, null, task)
  return add(tx, by, TASK, task)
}

/** How a save differs from the ordinary. */
interface SaveOptions {
  /** It is a change even when no field of the resource itself changed: something that is part of it did. */
  touched?: boolean
  type?: EventType
}

/** Stores what became of a task: next version, stamped with the turn's time, one event. One that changes nothing stores nothing. */
export async function saveTask(tx: Turn, by: Actor, before: Task, after: Task, options: SaveOptions = {}): Promise<Task> {
  countActive(tx, before, after)
  return save(tx, by, TASK, before, after, options)
}

export async function removeTask(tx: Turn, by: Actor, task: Task): Promise<void> {
  countActive(tx, task, null)
  await remove(tx, by, TASK, task)
}

export const addProject = (tx: Turn, by: Actor, project: Project) => add(tx, by, PROJECT, project)
export const saveProject = (tx: Turn, by: Actor, before: Project, after: Project) => save(tx, by, PROJECT, before, after, {})
export const removeProject = (tx: Turn, by: Actor, project: Project) => remove(tx, by, PROJECT, project)

export const addWorkflow = (tx: Turn, by: Actor, workflow: Workflow) => add(tx, by, WORKFLOW, workflow)
export const saveWorkflow = (tx: Turn, by: Actor, before: Workflow, after: Workflow, options: SaveOptions = {}) =>
  save(tx, by, WORKFLOW, before, after, options)
export const removeWorkflow = (tx: Turn, by: Actor, workflow: Workflow) => remove(tx, by, WORKFLOW, workflow)

export const addStatus = (tx: Turn, by: Actor, status: Status) => add(tx, by, STATUS, status)
export const saveStatus = (tx: Turn, by: Actor, before: Status, after: Status) => save(tx, by, STATUS, before, after, {})
export const removeStatus = (tx: Turn, by: Actor, status: Status) => remove(tx, by, STATUS, status)

function countActive(tx: Turn, before: Task | null, after: Task | null): void {
  tx.ledger.activeTasks += Number(after !== null && isActive(after)) - Number(before !== null && isActive(before))
}

async function add<T extends Versioned>(tx: Turn, by: Actor, kind: Kind<T>, resource: T): Promise<T> {
  const json = JSON.stringify(kind.toWire(resource))
  await kind.insert(tx, tx.accountId, resource, json)
  await record(tx, by, kind.created, json, {})
  return resource
}

async function save<T extends Versioned>(tx: Turn, by: Actor, kind: Kind<T>, before: T, after: T, options: SaveOptions): Promise<T> {
  if (!options.touched && isEqual(before, after)) return before
  const saved = { ...after, version: before.version + 1, updatedAt: tx.now }
  const data = kind.toWire(saved)
  const json = JSON.stringify(data)
  await kind.update(tx, tx.accountId, saved, json)
  await record(tx, by, options.type ?? kind.changed(before, saved), json, formerValues(kind.toWire(before), data))
  return saved
}

async function remove<T extends Versioned>(tx: Turn, by: Actor, kind: Kind<T>, resource: T): Promise<void> {
  await kind.delete(tx, tx.accountId, resource.id)
  await record(tx, by, kind.deleted, JSON.stringify(kind.toWire(resource)), {})
}

function isEqual<T extends object>(a: T, b: T): boolean {
  return (Object.keys(a) as (keyof T)[]).every((name) => a[name] === b[name])
}

/** Appends an event to the account's log. `data` is the resource as JSON. */
export async function record(tx: Turn, by: Actor, type: EventType, data: string, previous: object): Promise<void> {
  tx.hasNews = true
  tx.ledger.lastSequence += 1
  await insertEvent(tx, tx.accountId, {
    sequence: tx.ledger.lastSequence,
    id: tx.newId(),
    type,
    occurredAt: tx.now,
    cause: by.cause,
    tokenId: by.tokenId,
    requestId: by.requestId,
    data,
    previous: JSON.stringify(previous),
  })
}
