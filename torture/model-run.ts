import { atTime, type Command, isPassing, lineOf, nextCommand, ROOMS, type Scene, type Sending } from './model/commands.ts'
import { compareAll, compareAnswer, compareEvents, differenceIn } from './model/comparison.ts'
import { openStage, openTrial, type Stage, send, type Trial } from './model/trial.ts'
import { ask, wake } from './model.ts'
import { type OpenTally, openSite, openTally, randomFrom, type Scenario } from './scenario.ts'

/**
 * Random commands go to a service and to a model of the contract, and whatever comes of them is compared: every answer, every event, and now and then
 * all that can be read. The service runs in this process, by a clock that is moved. A command names things by the command that made them, so that
 * of a sequence in which the two differ those can be left out that do not matter.
 */

const LOOK_EVERY = 50
const COMMANDS_A_HISTORY = 400
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
