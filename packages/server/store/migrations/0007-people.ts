import type { Dialect } from '../dialect.ts'

/**
 * People: passwords, signed-in sessions, links that work once, tries to sign in, and what the tabs are called. Of passwords only the Argon2id hash is
 * kept, of sessions and links only the SHA-256 of their value. A session or link that has ended has no row.
 *
 * `sessions` and `one_time_links` are read to let somebody in, as `tokens` are. `tries` are counts of a quarter of an hour, and of no account.
 */
export const people = ({ text, inKeyOrder, expect }: Dialect): string[] => [
  'alter table tokens add column last_used_at bigint',
  `create table passwords (
    account_id ${text} not null primary key references accounts (id) on delete cascade,
    hash ${text} not null,
    changed_at bigint not null
  )${inKeyOrder}`,
  `create table sessions (
    account_id ${text} not null references accounts (id) on delete cascade,
    id ${text} not null,
    hash ${text} not null unique,
    user_agent ${text},
    created_at bigint not null,
    last_used_at bigint not null,
    expires_at bigint not null,
    primary key (account_id, id)
  )${inKeyOrder}`,
  'create index sessions_by_id on sessions (id)',
  'create index sessions_by_end on sessions (expires_at)',
  `create table one_time_links (
    hash ${text} not null primary key,
    kind ${text} not null,
    account_id ${text} references accounts (id) on delete cascade,
    email ${text},
    plan_key ${text} references plans (key),
    created_at bigint not null,
    expires_at bigint not null
  )${inKeyOrder}`,
  'create index one_time_links_by_account on one_time_links (account_id)',
  'create index one_time_links_by_end on one_time_links (expires_at)',
  `create table tries (
    key ${text} not null primary key,
    began_at bigint not null,
    used integer not null
  )${inKeyOrder}`,
  'create index tries_by_age on tries (began_at)',
  `create table tabs (
    account_id ${text} not null references accounts (id) on delete cascade,
    disposition ${text} not null,
    label ${text},
    color ${text},
    primary key (account_id, disposition)
  )${inKeyOrder}`,
  // With what tells the done ones among them, so that those can be counted without a look at any task.
  'create index tasks_archived on tasks (account_id, id, disposition, archived_at) where archived_at is not null',
  ...expect([
    ['tasks', 'sqlite_autoindex_tasks_1', [1_000_000, 150, 1]],
    ['tasks', 'tasks_by_update', [1_000_000, 150, 1, 1]],
    ['tasks', 'tasks_listed', [200_000, 150, 1]],
    ['tasks', 'tasks_archived', [100_000, 100, 1, 1, 1]],
    ['tasks', 'tasks_by_due_date', [200_000, 200, 2, 1]],
    ['tasks', 'tasks_by_disposition', [1_000_000, 1_000, 200, 1]],
    ['tasks', 'tasks_by_status', [1_000_000, 1_000, 10, 1]],
    ['tasks', 'tasks_by_workflow', [1_000_000, 1_000, 50, 1]],
    ['tasks', 'tasks_by_project', [1_000_000, 1_000, 20, 1]],
    ['tasks', 'tasks_to_wake', [1_000, 2, 1, 1]],
  ]),
]
