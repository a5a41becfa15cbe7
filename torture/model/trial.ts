import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { pino } from 'pino'
import { createAccount } from '../../packages/server/actions/accounts.ts'
import type { Operator } from '../../packages/server/actions/operator.ts'
import { createToken } from '../../packages/server/actions/tokens.ts'
import { type Service, startService } from '../../packages/server/service.ts'
import { readSettings } from '../../packages/server/settings.ts'
import { aProject, aStep, aTask, aWorkflow, UNKNOWN_ID } from '../../test/builders.ts'
import { type Client, clientOf, type Reply } from '../../test/client.ts'
import { fivetabJson } from '../../test/fivetab.ts'
import { type Site, uniqueName } from '../scenario.ts'
import { FOREIGN } from './commands.ts'
import type { Request } from './requests.ts'
import { type Fields, type Model, openModel, resourceOf } from './things.ts'

/** A service and a model side by side, and how what the one says is put into the words of the other. */

const ACTIVE_TASKS = 12
const START = Date.parse('2026-11-21T12:00:00.000Z')
const LIFETIME_MS = 20 * 365 * 86_400_000

/** A service in this process, whose time is moved. */
export interface Stage extends AsyncDisposable {
  service: Service
  agent: Agent
  clock: { now: number }
  operator: Operator
  /** Ids of another account's things, by the names that stand for them. */
  foreign: ReadonlyMap<string, string>
  /** What the service logged as an error. */
  errors: string[]
}

export async function openStage(site: Site): Promise<Stage> {
  await fivetabJson(site, `plan set unlimited --active-tasks ${ACTIVE_TASKS}`)
  const clock = { now: START }
  const errors: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => errors.push(line) })
  const settings = readSettings({ ...site.environment, PORT: '0' })
  const service = await startService(settings, log, { clock: () => clock.now, random: randomBytes, runTimers: false })
  const agent = new Agent({ keepAlive: true })
  const operator = { store: service.store, clock: () => clock.now, random: randomBytes }
  const stage: Stage = {
    service,
    agent,
    clock,
    operator,
    foreign: new Map(),
    errors,
    [Symbol.asyncDispose]: async () => {
      agent.destroy()
      await service.stop()
    },
  }
  return { ...stage, foreign: await foreignThings((await anAccount(stage)).api) }
}

async function anAccount({ service, agent, operator }: Stage): Promise<{ accountId: string; api: Client }> {
  const { id, email } = await createAccount(operator, { email: `${uniqueName()}@example.org` })
  const { value } = await createToken(operator, { email, name: 'model', scopes: SCOPE_NAMES, lifetimeMs: LIFETIME_MS })
  return { accountId: id, api: clientOf(service.url, value, agent) }
}

async function foreignThings(api: Client): Promise<Map<string, string>> {
  const task = await aTask()(api)
  const workflow = await aWorkflow()(api)
  const ids = { task, project: await aProject()(api), workflow, status: workflow.statuses[0], step: await aStep(task)(api) }
  return new Map(Object.entries(FOREIGN).map(([kind, name]) => [name, ids[kind as keyof typeof ids].id]))
}

/** An account and a model that hold the same: nothing, at first. */
export interface Trial {
  stage: Stage
  accountId: string
  api: Client
  model: Model
  /** Ids by the names that the model has for them, and the other way round. */
  ids: Map<string, string>
  names: Map<string, string>
  /** By name, the model's number of each version that was seen. */
  versions: Map<string, Map<string, number>>
  lastSequence: number
}

export async function openTrial(stage: Stage): Promise<Trial> {
  const account = await anAccount(stage)
  const ids = new Map([...stage.foreign, ['nothing', UNKNOWN_ID]])
  const names = new Map([...ids].map(([name, id]) => [id, name]))
  return { stage, ...account, model: openModel(ACTIVE_TASKS), ids, names, versions: new Map(), lastSequence: 0 }
}

const NAME = /\b(?:task|project|workflow|status|step)\d+(?:\.\d+)?\b|\bnothing\b/g
export const ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

export function send(trial: Trial, request: Request): Promise<Reply> {
  const { method, path, body, ifMatch, ifNoneMatch, key } = request
  const real = (text: string) => text.replace(NAME, (name) => trial.ids.get(name) ?? UNKNOWN_ID)
  const tag = ifMatch ?? ifNoneMatch
  const headers = {
    ...(tag && { [ifMatch ? 'if-match' : 'if-none-match']: tagOf(trial, path, tag) }),
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  return trial.api.send(method, real(path), { headers, ...(body && { body: JSON.parse(real(JSON.stringify(body))) }) })
}

function tagOf({ model, versions }: Trial, path: string, tag: NonNullable<Request['ifMatch']>): string {
  const names = path.match(NAME) ?? []
  const seen = [...(versions.get(names.at(-1) ?? '') ?? [])]
  const current = resourceOf(model, names.at(-1) ?? '')?.version
  const right = seen.find(([, number]) => number === current)?.[0] ?? '"1"'
  const wrong = seen.find(([, number]) => number !== current)?.[0] ?? '"987654"'
  return { right, bare: right.replaceAll('"', ''), any: '*', listed: `${wrong}, ${right}`, wrong, weak: `W/${right}`, malformed: '"7' }[tag]
}

/** What was made has from now on the names that the model gave it. */
export function bind(trial: Trial, expected: Fields, real: Fields): void {
  const one = (name: unknown, id: unknown) => {
    trial.ids.set(String(name), String(id))
    trial.names.set(String(id), String(name))
  }
  one(expected.id, real.id)
  const made = (real.statuses ?? []) as Fields[]
  // Its Statuses are listed in tab order, on both sides.
  for (const [index, status] of ((expected.statuses ?? []) as Fields[]).entries()) one(status.id, made[index]?.id)
}

/** A body with names for ids, and the model's numbers for versions. */
// biome-ignore lint/suspicious/noExplicitAny: whatever was answered
export function translate(trial: Trial, body: unknown): any {
  const named = JSON.parse(JSON.stringify(body).replace(ID, (id) => trial.names.get(id) ?? id))
  return withVersions(trial, named)
}

function withVersions(trial: Trial, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withVersions(trial, item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, withVersions(trial, inner)])
  const { id, version } = value as Fields
  const result: Fields = Object.fromEntries(entries)
  return typeof id === 'string' && typeof version === 'string' ? { ...result, version: versionNumber(trial, id, version) } : result
}

/** The model's number of a version; one that was not seen before is the current one, unless that was seen. */
export function versionNumber({ model, versions }: Trial, name: string, version: string): number | string {
  const seen = versions.get(name) ?? new Map<string, number>()
  versions.set(name, seen)
  const current = resourceOf(model, name)?.version
  if (!seen.has(version) && current !== undefined && ![...seen.values()].includes(current)) seen.set(version, current)
  return seen.get(version) ?? `the unexpected ${version}`
}
