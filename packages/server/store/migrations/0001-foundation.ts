import type { Dialect } from '../dialect.ts'

/**
 * The tables of Fivetab. Times are ms since the epoch, truth values are 0 or 1, ids are UUIDs as text.
 *
 * Every key of an account's own data begins with `account_id`. `plans`, `accounts`, `tokens` and `switches` are what is read to let a request in.
 */
export function foundation(dialect: Dialect): string[] {
  const { text, inKeyOrder, expect } = dialect
  return [
    `create table plans (
    key ${text} not null primary key,
    api_access integer not null,
    active_tasks bigint,
    token_per_minute bigint not null,
    account_per_minute bigint not null,
    writes_per_day bigint not null
  )${inKeyOrder}`,
    `create table accounts (
    id ${text} not null primary key,
    email ${text} not null unique,
    name ${text},
    time_zone ${text} not null,
    plan_key ${text} not null references plans (key),
    api_access integer not null,
    vault integer not null,
    created_at bigint not null,
    active_tasks bigint not null,
    last_stamp bigint not null,
    last_id ${text} not null,
    last_sequence bigint not null,
    write_day bigint not null,
    writes_that_day bigint not null
  )${inKeyOrder}`,
    `create table tokens (
    account_id ${text} not null references accounts (id) on delete cascade,
    id ${text} not null,
    name ${text} not null,
    hash ${text} not null unique,
    scopes ${text} not null,
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint,
    primary key (account_id, id)
  )${inKeyOrder}`,
    'create index tokens_by_id on tokens (id)',
    `create table switches (
    name ${text} not null primary key,
    is_on integer not null
  )${inKeyOrder}`,
    `create table projects (
    account_id ${text} not null references accounts (id) on delete cascade,
    id ${text} not null,
    name ${text} not null,
    description ${text},
    archived integer not null,
    position double precision not null,
    created_at bigint not null,
    updated_at bigint not null,
    version bigint not null,
    primary key (account_id, id)
  )${inKeyOrder}`,
    'create index projects_by_position on projects (account_id, position, id)',
    `create table workflows (
    account_id ${text} not null references accounts (id) on delete cascade,
    id ${text} not null,
    name ${text} not null,
    emoji ${text},
    description ${text},
    position double precision not null,
    created_at bigint not null,
    updated_at bigint not null,
    version bigint not null,
    primary key (account_id, id)
  )${inKeyOrder}`,
    'create index workflows_by_position on workflows (account_id, position, id)',
    `create table statuses (
    account_id ${text} not null references accounts (id) on delete cascade,
    id ${text} not null,
    workflow_id ${text} not null,
    name ${text} not null,
    disposition ${text} not null,
    position double precision not null,
    created_at bigint not null,
    updated_at bigint not null,
    version bigint not null,
    primary key (account_id, id),
    foreign key (account_id, workflow_id) references workflows (account_id, id)
  )${inKeyOrder}`,
    'create index statuses_by_workflow on statuses (account_id, workflow_id, id)',
    tasksTable(dialect),
    ...TASK_INDEXES,
    ...stepTables(dialect),
    eventsTable(dialect),
    `create table idempotency_keys (
    account_id ${text} not null references accounts (id) on delete cascade,
    route ${text} not null,
    key ${text} not null,
    body_hash ${text} not null,
    resource_id ${text} not null,
    created_at bigint not null,
    primary key (account_id, route, key)
  )${inKeyOrder}`,
    'create index idempotency_keys_by_age on idempotency_keys (created_at)',
    // So weighed that every list and filter takes the index of its order (test/query-plans.test.ts).
    ...expect([
      ['tasks', 'tasks', [1_000_000, 1_000, 1]],
      ['tasks', 'tasks_by_update', [1_000_000, 200, 1, 1]],
      ['tasks', 'tasks_listed', [200_000, 200, 1]],
      ['tasks', 'tasks_by_due_date', [200_000, 200, 2, 1]],
      ['tasks', 'tasks_by_disposition', [1_000_000, 1_000, 200, 1]],
      ['tasks', 'tasks_by_status', [1_000_000, 1_000, 10, 1]],
      ['tasks', 'tasks_by_workflow', [1_000_000, 1_000, 50, 1]],
      ['tasks', 'tasks_by_project', [1_000_000, 1_000, 20, 1]],
      ['tasks', 'tasks_to_wake', [1_000, 1]],
      ['statuses', 'statuses', [10_000, 100, 1]],
      ['statuses', 'statuses_by_workflow', [10_000, 100, 5, 1]],
    ]),
  ]
}

/** The table that tasks are in; `inKeyOrder` is how its rows lie. */
export const tasksTable = ({ text, inKeyOrder }: Pick<Dialect, 'text' | 'inKeyOrder'>): string =>
  `create table tasks (
    account_id ${text} not null references accounts (id) on delete cascade,
    id ${text} not null,
    title ${text} not null,
    notes ${text},
    search_text ${text} not null,
    disposition ${text} not null,
    status_id ${text},
    workflow_id ${text},
    project_id ${text},
    due_date ${text},
    on_hold_until bigint,
    completed_at bigint,
    own_estimate_minutes bigint,
    steps_total bigint not null,
    steps_completed bigint not null,
    steps_minutes bigint not null,
    left_status_id ${text},
    archived_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    version bigint not null,
    primary key (account_id, id),
    foreign key (account_id, status_id) references statuses (account_id, id),
    foreign key (account_id, workflow_id) references workflows (account_id, id),
    foreign key (account_id, project_id) references projects (account_id, id),
    check (status_id is null or workflow_id is not null),
    check (on_hold_until is null or disposition = 'on_hold'),
    check ((completed_at is not null) = (disposition = 'done'))
  )${inKeyOrder}`

export const TASK_INDEXES: readonly string[] = [
  'create index tasks_by_update on tasks (account_id, updated_at, id)',
  'create index tasks_listed on tasks (account_id, id) where archived_at is null',
  `create index tasks_by_due_date on tasks (account_id, coalesce(due_date, '~'), id) where archived_at is null`,
  'create index tasks_by_disposition on tasks (account_id, disposition, id)',
  'create index tasks_by_status on tasks (account_id, status_id, id) where status_id is not null',
  'create index tasks_by_workflow on tasks (account_id, workflow_id, id) where workflow_id is not null',
  'create index tasks_by_project on tasks (account_id, project_id, id) where project_id is not null',
  'create index tasks_to_wake on tasks (on_hold_until) where on_hold_until is not null',
]

/** What points to tasks. */
export const stepTables = ({ text, inKeyOrder }: Pick<Dialect, 'text' | 'inKeyOrder'>): string[] => [
  `create table checklist_steps (
    account_id ${text} not null,
    task_id ${text} not null,
    id ${text} not null,
    name ${text} not null,
    completed_at bigint,
    minutes bigint not null,
    position double precision not null,
    primary key (account_id, task_id, id),
    foreign key (account_id, task_id) references tasks (account_id, id) on delete cascade
  )${inKeyOrder}`,
  `create table status_progress (
    account_id ${text} not null,
    task_id ${text} not null,
    status_id ${text} not null,
    completed_at bigint,
    minutes bigint not null,
    primary key (account_id, task_id, status_id),
    foreign key (account_id, task_id) references tasks (account_id, id) on delete cascade,
    foreign key (account_id, status_id) references statuses (account_id, id) on delete cascade
  )${inKeyOrder}`,
  'create index status_progress_by_status on status_progress (account_id, status_id)',
]

export const eventsTable = ({ text, inKeyOrder }: Pick<Dialect, 'text' | 'inKeyOrder'>): string =>
  `create table events (
    account_id ${text} not null references accounts (id) on delete cascade,
    sequence bigint not null,
    id ${text} not null,
    type ${text} not null,
    occurred_at bigint not null,
    cause ${text} not null,
    token_id ${text},
    request_id ${text},
    data ${text} not null,
    previous ${text} not null,
    primary key (account_id, sequence)
  )${inKeyOrder}`
