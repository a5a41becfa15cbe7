import { parseArgs } from 'node:util'
import type { EngineName } from '../test/database.ts'
import type { Scenario, Tally } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

/**
 * The fault suite: `npm run torture [-- --short] [--seed N] [--only WORDS] [--engine sqlite|postgres]`.
 *
 * Prints a table: scenario, engine, attempts, lost, doubled, wrong, seconds. Ends with 1 when anything was lost, doubled or wrong.
 */

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, seed: { type: 'string' }, only: { type: 'string' }, engine: { type: 'string' } },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const isShort = values.short
const form = isShort ? 'short' : 'full'

interface Row extends Tally {
  name: string
  engine: EngineName
  seconds: number
}

console.log(`seed ${seed}, ${form} form`)
const rows: Row[] = []
for (const scenario of SCENARIOS.filter(({ name }) => name.includes(values.only ?? ''))) {
  for (const engine of scenario.engines.filter((one) => one === (values.engine ?? one))) {
    const row = await runOne(scenario, engine)
    rows.push(row)
    printRow(row)
    for (const note of row.notes) console.log(`    ${note}`)
  }
}

console.log('\nscenario                                          engine    attempts  lost  doubled  wrong  seconds')
rows.forEach(printRow)
const bad = rows.filter(({ lost, doubled, wrong }) => lost + doubled + wrong > 0)
console.log(
  bad.length === 0 ? '\nNothing lost, nothing doubled, nothing wrong.' : `\n${bad.length} of ${rows.length} failed; seed ${seed}.`,
)
// A scenario that was given up may still hold a connection open.
process.exit(bad.length === 0 && rows.length > 0 ? 0 : 1)

async function runOne(scenario: Scenario, engine: EngineName): Promise<Row> {
  const started = performance.now()
  const limit = scenario.limitSeconds[form]
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`it took more than ${limit} s`)), limit * 1000).unref()
  })
  const tally = await Promise.race([scenario.run({ engine, isShort, seed }), late]).catch(
    (error): Tally => ({
      attempts: 0,
      lost: 0,
      doubled: 0,
      wrong: 1,
      notes: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    }),
  )
  return { ...tally, name: scenario.name, engine, seconds: (performance.now() - started) / 1000 }
}

function printRow({ name, engine, attempts, lost, doubled, wrong, seconds }: Row): void {
  const cells = [name.padEnd(48), engine.padEnd(8), String(attempts).padStart(9), String(lost).padStart(5), String(doubled).padStart(8)]
  console.log([...cells, String(wrong).padStart(6), seconds.toFixed(1).padStart(8)].join(' '))
}
