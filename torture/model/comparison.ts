import { eventsAfter } from '../../packages/server/store/events.ts'
import type { Reply } from '../../test/client.ts'
import { pagesOf } from '../../test/reading.ts'
import { ask } from '../model.ts'
import { anyTaskList, lineOf, type Scene } from './commands.ts'
import type { Answer, Request } from './requests.ts'
import { type Change, type Fields, isEqual } from './things.ts'
import { bind, ID, send, type Trial, translate, versionNumber } from './trial.ts'

/** What the service answers, logs and holds against what the model does. */

/** What was found to differ, in words. */
class Difference extends Error {}

export async function differenceIn(work: () => Promise<void>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof Difference) return error.message
    throw error
  }
}

type Differ = (what: string, expected: unknown, was: unknown) => never

/** @throws Difference */
export function compareAnswer(trial: Trial, request: Request, answer: Answer, reply: Reply): void {
  const differ: Differ = (what, expected, was) => {
    const [is, should] = [JSON.stringify(was), JSON.stringify(expected)]
    throw new Difference(`${lineOf(request)}: ${what} was ${is} instead of ${should}; ${reply.text.slice(0, 300)}`)
  }
  if (reply.status !== answer.status) differ('the status', answer.status, reply.status)
  if (answer.status === 201) bind(trial, answer.body as Fields, reply.body)
  compareBody(trial, answer, reply, differ)
  if (answer.problems !== undefined) compareProblems(answer.problems, reply.body.errors, differ)
  compareHeaders(trial, answer, reply, differ)
}

function compareBody(trial: Trial, { status, body = {} }: Answer, reply: Reply, differ: Differ): void {
  if ((status === 204 || status === 304) && reply.text !== '') differ('the body', '', reply.text)
  const translated = translate(trial, reply.body ?? {})
  if (status === 412) {
    // Which resource this version is of, `current` tells.
    if (reply.body.version !== reply.body.current?.version) differ('version', reply.body.current?.version, reply.body.version)
    translated.version = translated.current?.version
  }
  for (const [place, expected, was] of differences(body, translated, '')) differ(place, expected, was)
}

function compareHeaders(trial: Trial, { body = {}, location, isReplay }: Answer, { headers, body: was }: Reply, differ: Differ): void {
  const place = headers.location && new URL(headers.location).pathname.replace('/v1', '').replace(ID, (id) => trial.names.get(id) ?? id)
  if (typeof body.version === 'number' && headers.etag !== was.version) differ('the ETag', was.version, headers.etag)
  if (place !== location) differ('Location', location, place)
  if ((headers['idempotent-replayed'] === 'true') !== (isReplay ?? false)) differ('Idempotent-Replayed', isReplay, headers)
  if (headers['x-request-id'] === undefined || headers['ratelimit-remaining'] === undefined) differ('a header', 'there', headers)
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
  differ: Differ,
): void {
  const fits = (problem: (typeof problems)[number], error: (typeof errors)[number]) =>
    problem.in === error.in && problem.names.includes(error.name) && (problem.code ?? error.code) === error.code
  const isMissing = problems.some((problem) => problem.isCertain && !errors.some((error) => fits(problem, error)))
  const isTooMuch = errors.some((error) => !problems.some((problem) => fits(problem, error)))
  if (isMissing || isTooMuch) differ('errors', problems, errors)
}

/** Holds the log since the last time against what the model says has changed. */
export async function compareEvents(trial: Trial): Promise<void> {
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
export async function compareAll(trial: Trial, scene: Scene): Promise<void> {
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
