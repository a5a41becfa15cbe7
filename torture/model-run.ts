import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { pino } from 'pino'
import { createAccount } from '../packages/server/actions/accounts.ts'
import type { Operator } from '../packages/server/actions/operator.ts'
import { createToken } from '../packages/server/actions/tokens.ts'
import { type Service, startService } from '../packages/server/service.ts'
import { readSettings } from '../packages/server/settings.ts'
import { eventsAfter } from '../packages/server/store/events.ts'
import { aProject, aStep, aTask, aWorkflow, UNKNOWN_ID } from '../test/builders.ts'
import { type Client, clientOf, type Reply } from '../test/client.ts'
import { fivetabJson } from '../test/fivetab.ts'
import { pagesOf } from '../test/reading.ts'
import { anyTaskList, type Command, FOREIGN, isPassing, nextCommand, ROOMS, type Scene, type Sending } from './model/commands.ts'
import type { Answer, Request } from './model/requests.ts'
import { type Change, type Fields, isEqual, type Model, openModel, resourceOf } from './model/things.ts'
import { ask, wake } from './model.ts'
import { type OpenTally, openSite, openTally, randomFrom, type Scenario, type Site, uniqueName } from './scenario.ts'

/**
 * Random commands go to a service and to a model of the contract, and whatever comes of them is compared: every answer, every event, and now and then
 * all that can be read. The service runs in this process, by a clock that is moved. A command names things by the command that made them, so that
 * of a sequence in which the two differ those can be left out that do not matter.
 */

const ACTIVE_TASKS = 12
const LOOK_EVERY = 50
const COMMANDS_A_HISTORY = 400
const START = Date.parse('2026-11-21T12:00:00.000Z')
const LIFETIME_MS = 20 * 365 * 86_400_000
const SHRINKING_MS = { short: 10_000, full: 60_000 }
const MAX_LINES = 60

export const likeTheModel: Scenario = {
  name: 'random commands against a model of the contract',
  engines: ['sqlite', 'postgres'],
  limitSeconds: { short: 60, full: 420 },
  run: async ({ engine, isShort, seed }) => {
    await using site = await openSite(engine)
    await using stage = await openStage(site)
    const tally = openTally()
    const [total, aHistory] = isShort ? [600, 200] : [20_000, COMMANDS_A_HISTORY]
    const random = randomFrom(seed)
    const statuses = new Map<string, number>()
    for (let history = 0; history * aHistory < total; history++) {
      const trial = await openTrial(stage)
      const { commands, difference } = await explore(
        trial,
        randomFrom(random() * 2 ** 31),
        ROOMS[history % 2] ?? ROOMS[0],
        aHistory,
        statuses,
      )
      tally.attempts += commands.length
      if (difference === null) continue
      tally.fault(`history ${history} (seed ${seed}), command ${commands.length}: ${difference}`)
      if (tally.wrong === 1) await tellShrunk(stage, commands, SHRINKING_MS[isShort ? 'short' : 'full'], tally)
    }
    const counts = [...statuses].sort().map(([status, count]) => `${count} × ${status}`)
    tally.note(`answers: ${counts.join(', ')}`)
    for (const line of stage.errors.slice(0, 3)) tally.fault(`the service logged ${line}`)
    return tally
  },
}

/** A service in this process, whose time is moved. */
interface Stage extends AsyncDisposable {
  service: Service
  agent: Agent
  clock: { now: number }
  operator: Operator
  /** Ids of another account's things, by the names that stand for them. */
  foreign: ReadonlyMap<string, string>
  /** What the service logged as an error. */
  errors: string[]
}

async function openStage(site: Site): Promise<Stage> {
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
interface Trial {
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

async function openTrial(stage: Stage): Promise<Trial> {
  const account = await anAccount(stage)
  const ids = new Map([...stage.foreign, ['nothing', UNKNOWN_ID]])
  const names = new Map([...ids].map(([name, id]) => [id, name]))
  return { stage, ...account, model: openModel(ACTIVE_TASKS), ids, names, versions: new Map(), lastSequence: 0 }
}

/** What was found to differ, in words. */
class Difference extends Error {}

async function differenceIn(work: () => Promise<void>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof Difference) return error.message
    throw error
  }
}

/** Makes up commands as it goes and carries them out, until there were so many or one makes a difference. */
async function explore(
  trial: Trial,
  random: () => number,
  room: Scene['room'],
  count: number,
  statuses: Map<string, number>,
): Promise<{ commands: Command[]; difference: string | null }> {
  const { stage, model } = trial
  const scene: Scene = { model, room, random, now: stage.clock.now, filling: null, keyed: [] }
  const commands: Command[] = []
  const difference = await differenceIn(async () => {
    for (let number = 1; number <= count; number++) {
      scene.now = stage.clock.now
      const command = nextCommand(scene, number)
      commands.push(command)
      const status = await carryOut(trial, command)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (number % LOOK_EVERY === 0 || number === count) await compareAll(trial, scene)
    }
  })
  return { commands, difference }
}

/** Carries the commands out anew, in an account of their own. */
async function repeat(stage: Stage, commands: readonly Command[]): Promise<string | null> {
  const trial = await openTrial(stage)
  return differenceIn(async () => {
    for (const command of commands) await carryOut(trial, command)
    await compareAll(trial, { model: trial.model, room: ROOMS[0], random: randomFrom(1), now: stage.clock.now, filling: null, keyed: [] })
  })
}

/** Answers with what the service did, in a word. @throws Difference */
async function carryOut(trial: Trial, command: Command): Promise<string> {
  const { stage, model } = trial
  if (isPassing(command)) {
    stage.clock.now += command.passMs
    await stage.service.timers.wake()
    wake(model, stage.clock.now)
    await compareEvents(trial)
    await stage.service.timers.prune()
    return `${model.log.length > 0 ? 'something' : 'nothing'} woke`
  }
  stage.clock.now += command.afterMs
  const request = { ...command, ...(command.body && { body: atTime(command.body, stage.clock.now) }) }
  const reply = await send(trial, request)
  const answer = ask(model, request, stage.clock.now)
  compareAnswer(trial, request, answer, reply)
  await compareEvents(trial)
  return String(reply.status)
}

/** The body with its times, which count from `now` on, as a client would send them. */
function atTime(body: Fields, now: number): Fields {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? timeIn(value, now) : value]))
}

function timeIn(text: string, now: number): string {
  const [, ms, offset = '+00:00'] = /^now\+(-?\d+)(?: as (\S+))?$/.exec(text) ?? []
  if (ms === undefined) return text
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  const aheadMs = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
  return new Date(now + Number(ms) + aheadMs).toISOString().replace('Z', offset)
}

const NAME = /\b(?:task|project|workflow|status|step)\d+(?:\.\d+)?\b|\bnothing\b/g
const ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

function send(trial: Trial, request: Request): Promise<Reply> {
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

function compareAnswer(trial: Trial, request: Request, answer: Answer, reply: Reply): void {
  const differ = (what: string, expected: unknown, was: unknown): never => {
    throw new Difference(
      `${lineOf(request)}: ${what} was ${JSON.stringify(was)} instead of ${JSON.stringify(expected)}; ${reply.text.slice(0, 300)}`,
    )
  }
  const same = (what: string, expected: unknown, was: unknown) => void (isEqual(expected, was) || differ(what, expected, was))
  same('the status', answer.status, reply.status)
  if (answer.status === 201) bind(trial, answer.body as Fields, reply.body)
  const { body = {} } = answer
  const translated = translate(trial, reply.body ?? {})
  if (answer.status === 412 && reply.body.version !== reply.body.current?.version)
    differ('version', reply.body.current?.version, reply.body.version)
  for (const [place, expected, was] of differences(
    body,
    answer.status === 412 ? { ...translated, version: translated.current?.version } : translated,
    '',
  )) {
    differ(place, expected, was)
  }
  if (answer.problems !== undefined) compareProblems(answer.problems, reply.body.errors, differ)
  const { etag, location } = reply.headers
  if (typeof body.version === 'number') same('the ETag', reply.body.version, etag)
  same(
    'Location',
    answer.location,
    location && new URL(location).pathname.replace('/v1', '').replace(ID, (id) => trial.names.get(id) ?? id),
  )
  same('Idempotent-Replayed', answer.isReplay ? 'true' : undefined, reply.headers['idempotent-replayed'])
  if (reply.headers['x-request-id'] === undefined || reply.headers['ratelimit-remaining'] === undefined)
    differ('a header', 'there', 'missing')
  if (reply.status === 204 || reply.status === 304) same('the body', '', reply.text)
}

/** What was made has from now on the names that the model gave it. */
function bind(trial: Trial, expected: Fields, real: Fields): void {
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
function translate(trial: Trial, body: unknown): any {
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
function versionNumber({ model, versions }: Trial, name: string, version: string): number | string {
  const seen = versions.get(name) ?? new Map<string, number>()
  versions.set(name, seen)
  const current = resourceOf(model, name)?.version
  if (!seen.has(version) && current !== undefined && ![...seen.values()].includes(current)) seen.set(version, current)
  return seen.get(version) ?? `the unexpected ${version}`
}

/** Where `was` is not as expected. Objects may have members that are not expected if they are no resources and no lists. */
function* differences(expected: unknown, was: unknown, place: string): Generator<[place: string, expected: unknown, was: unknown]> {
  if (typeof expected !== 'object' || expected === null || typeof was !== 'object' || was === null) {
    if (expected !== was) yield [place, expected, was]
    return
  }
  if (Array.isArray(expected) && (was as unknown[]).length !== expected.length) {
    yield [`${place} (of ${expected.length})`, expected, was]
    return
  }
  const isWhole = 'id' in expected || Array.isArray(expected)
  const names = new Set([...Object.keys(expected), ...(isWhole ? Object.keys(was) : [])])
  for (const name of names) yield* differences((expected as Fields)[name], (was as Fields)[name], `${place}/${name}`)
}

function compareProblems(
  problems: NonNullable<Answer['problems']>,
  errors: { in: string; name: string; code: string }[],
  differ: (what: string, expected: unknown, was: unknown) => never,
): void {
  const fits = (problem: (typeof problems)[number], error: (typeof errors)[number]) =>
    problem.in === error.in && problem.names.includes(error.name) && (problem.code ?? error.code) === error.code
  const isMissing = problems.some((problem) => problem.isCertain && !errors.some((error) => fits(problem, error)))
  const isTooMuch = errors.some((error) => !problems.some((problem) => fits(problem, error)))
  if (isMissing || isTooMuch) differ('errors', problems, errors)
}

/** Holds the log since the last time against what the model says has changed. */
async function compareEvents(trial: Trial): Promise<void> {
  const { stage, model, accountId } = trial
  const events = await eventsAfter(stage.service.store, accountId, trial.lastSequence, 10_000)
  const was = events.map(({ type, cause, data, previous }) => {
    const named = translate(trial, data)
    const { version, ...others } = translate(trial, previous)
    const formerVersion = version === undefined ? {} : { version: versionNumber(trial, named.id, version) }
    return { type, cause, data: named, previous: { ...others, ...formerVersion } }
  })
  const told = (changes: readonly Change[]) => changes.map(({ type, data }) => `${type} ${data.id}`).sort()
  if (!isEqual(told(model.log), told(was as Change[])))
    throw new Difference(`the log has ${told(was as Change[])} instead of ${told(model.log)}`)
  for (const change of model.log) {
    const event = was.find(({ type, data }) => type === change.type && data.id === change.data.id) as Change
    const expected = { ...change, cause: change.cause ?? event.cause }
    if (!isEqual(expected, event)) throw new Difference(`an event was ${JSON.stringify(event)} instead of ${JSON.stringify(expected)}`)
  }
  for (const { sequence, occurredAt } of events) {
    trial.lastSequence += 1
    if (sequence !== trial.lastSequence || occurredAt !== stage.clock.now)
      throw new Difference(`event ${sequence} is of ${new Date(occurredAt)}`)
  }
}

/** Reads all that can be read. */
async function compareAll(trial: Trial, scene: Scene): Promise<void> {
  const { model } = trial
  const paths = [
    ...['/me', '/tasks?limit=100&include_archived=true', '/tasks?limit=100'],
    ...['not_started', 'in_progress', 'waiting', 'on_hold', 'done'].map((disposition) => `/tasks?limit=100&disposition=${disposition}`),
    ...[...model.projects.keys()].map((id) => `/tasks?limit=100&project_id=${id}`),
    ...[...model.workflows.keys()].flatMap((id) => [`/tasks?limit=100&workflow_id=${id}`, `/workflows/${id}`, `/workflows/${id}/statuses`]),
    ...[...model.tasks.keys()].map((id) => `/tasks/${id}/steps`),
    ...['/projects', '/projects?include_archived=true&sort=position', '/workflows', '/workflows?sort=position'],
    ...Array.from({ length: 10 }, () => anyTaskList(scene)),
  ]
  await Promise.all(paths.map((path) => compareRead(trial, path)))
  await comparePages(trial, '/tasks?include_archived=true&sort=due_date&limit=7')
  await comparePages(trial, '/projects?sort=position&limit=2')
}

async function compareRead(trial: Trial, path: string): Promise<void> {
  const request: Request = { number: 0, method: 'GET', path }
  const reply = await send(trial, request)
  compareAnswer(trial, request, ask(trial.model, request, trial.stage.clock.now), reply)
}

/** All pages of a list together are the list. */
async function comparePages(trial: Trial, path: string): Promise<void> {
  const whole = path.replace(/limit=\d+/, 'limit=100')
  const expected = ask(trial.model, { number: 0, method: 'GET', path: whole }, trial.stage.clock.now).body?.data
  const was = translate(trial, (await pagesOf(trial.api, path)).flat())
  for (const [place, one, other] of differences(expected, was, '')) {
    throw new Difference(`the pages of ${path}: ${place} was ${JSON.stringify(other)} instead of ${JSON.stringify(one)}`)
  }
}

/** Leaves out what does not matter for the difference, for as long as there is time, and notes the commands that are left. */
async function tellShrunk(stage: Stage, commands: readonly Command[], ms: number, tally: OpenTally): Promise<void> {
  const deadline = performance.now() + ms
  const differs = async (some: readonly Command[]) => performance.now() < deadline && (await repeat(stage, some)) !== null
  let left = [...commands]
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = left.length - size; from > -size; from -= size) {
      const fewer = left.toSpliced(Math.max(from, 0), size + Math.min(from, 0))
      if (await differs(fewer)) left = fewer
    }
  }
  for (const [index, command] of left.entries()) {
    for (const simpler of simplerThan(command)) {
      const simplified = left.with(index, { ...left[index], ...simpler } as Command)
      if (await differs(simplified)) left = simplified
    }
  }
  tally.note(`it comes down to ${left.length} commands: ${await repeat(stage, left)}`)
  for (const command of left.slice(-MAX_LINES)) tally.note(`  ${lineOf(command)}`)
}

/** The command with one thing less, in each way. */
function simplerThan(command: Command): Partial<Sending>[] {
  if (isPassing(command)) return []
  const { body = {} } = command
  const bodies = Object.keys(body).map((name) => Object.fromEntries(Object.entries(body).filter(([other]) => other !== name)))
  return [{ afterMs: 0 }, ...bodies.map((fewer) => ({ body: fewer }))]
}

function lineOf(command: Command | Request): string {
  if ('passMs' in command) return `(${command.passMs} ms pass)`
  const { number, method, path, body, ifMatch, ifNoneMatch, key } = command
  const headers = [ifMatch && `If-Match: ${ifMatch}`, ifNoneMatch && `If-None-Match: ${ifNoneMatch}`, key && `Idempotency-Key: ${key}`]
  return [`${number}: ${method} ${path}`, body && JSON.stringify(body), ...headers].filter(Boolean).join(' ')
}
