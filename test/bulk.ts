import { folded } from '@fivetab/domain/text.ts'
import type { Resource } from './builders.ts'
import { meddle } from './database.ts'
import type { TestAccount, World } from './world.ts'

/** Very many things at once, put into the database as the service would have put them there, where that would take its time. */

interface TasksOptions {
  of?: TestAccount
  title?: string
  notes?: string
  /** The Workflow that they are on, in `not_started`; none if not said. */
  workflow?: Resource
}

const literal = (text: string | null) => (text === null ? 'null' : `'${text.replaceAll("'", "''")}'`)

/** Puts `count` active tasks, all alike, into the account (the world's first one if not said). They have no events. */
export async function putTasks(world: World, count: number, options: TasksOptions = {}): Promise<void> {
  const { of = world.account, title = 'Write it', notes = null, workflow = null } = options
  const today = workflow === null ? 0 : workflow.statuses.filter((status: Resource) => status.disposition === 'in_progress').length
  const values = [title, notes, folded(`${title}\n${notes ?? ''}`), 'not_started', workflow?.id ?? null].map(literal)
  await meddle(
    world,
    `with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count}),
       before (count) as (select count(*) from tasks)
     insert into tasks (account_id, id, title, notes, search_text, disposition, workflow_id, steps_total, steps_completed, steps_minutes,
       created_at, updated_at, version)
     select ${literal(of.id)}, '019aa4a5-4c00-7b3e-8000-' || cast(100000000000 + before.count + number as text), ${values.join(', ')}, ${today}, 0, 0,
       ${world.clock()}, ${world.clock()}, 1
     from numbers, before`,
    `update ledgers set active_tasks = active_tasks + ${count} where account_id = ${literal(of.id)}`,
  )
}
