import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Delivery } from '@fivetab/domain/delivery.ts'
import { EVENT_TYPES } from '@fivetab/domain/event.ts'
import type { Session } from '@fivetab/domain/session.ts'
import { newWebhook } from '@fivetab/domain/webhook.ts'
import { accountByEmail, accountById, anyAccount, deleteAccount, shutAccount } from '../packages/server/store/accounts.ts'
import {
  deleteDeliveriesBefore,
  deliveryById,
  deliveryPage,
  dueDeliveries,
  giveUpDeliveries,
  oldestPending,
  updateDelivery,
  webhooksWithDue,
} from '../packages/server/store/deliveries.ts'
import {
  accountsWithEventsBefore,
  deleteEventsBefore,
  eventsAfter,
  eventsAt,
  latestOf,
  reachOf,
  readLog,
} from '../packages/server/store/events.ts'
import { deleteKeysBefore, usedKey } from '../packages/server/store/idempotency.ts'
import { saveLedger, takeLedger, usageOf } from '../packages/server/store/ledgers.ts'
import { deleteLinksBefore, deleteLinksOf, linkByHash, takeLink } from '../packages/server/store/links.ts'
import { openStore } from '../packages/server/store/open.ts'
import type { PageRequest } from '../packages/server/store/pages.ts'
import { credentialsOf, passwordHash } from '../packages/server/store/passwords.ts'
import { planByKey } from '../packages/server/store/plans.ts'
import { lastProjectPosition, projectById, projectPage } from '../packages/server/store/projects.ts'
import {
  deleteLeastUsedSessions,
  deleteSession,
  deleteSessionOfAnyAccount,
  deleteSessionsBefore,
  deleteSessionsOf,
  saveUse,
  sessionAdmittance,
  sessionsByIds,
  sessionsOf,
} from '../packages/server/store/sessions.ts'
import { deleteStatus, statusById, statusesOf, statusesOfEach } from '../packages/server/store/statuses.ts'
import { checklistOf, checklistsOf, deleteProgress, progressOf, progressOfEach } from '../packages/server/store/steps.ts'
import type { Engine, Reader, Value, Writer } from '../packages/server/store/store.ts'
import { tabsOf } from '../packages/server/store/tabs.ts'
import {
  countDone,
  deleteTask,
  dueTasks,
  openTasks,
  TASK_ORDERS,
  type TaskFilter,
  type TaskSort,
  taskById,
  taskPage,
  tasksAfter,
  tasksPointingTo,
  taskToChange,
} from '../packages/server/store/tasks.ts'
import {
  admittance,
  admittances,
  deleteOldestEndedTokens,
  revokeToken,
  saveTokenUse,
  tokenById,
  tokenOfAnyAccount,
  tokensOf,
} from '../packages/server/store/tokens.ts'
import { deleteTriesBefore, giveBackTry, triesOf } from '../packages/server/store/tries.ts'
import {
  accountOfWebhook,
  claimedWebhook,
  claimWebhook,
  countWebhooks,
  deleteWebhook,
  saveStanding,
  sweepWebhooks,
  webhookById,
  webhookPage,
  webhooksBehind,
} from '../packages/server/store/webhooks.ts'
import { deleteWorkflow, lastWorkflowPosition, workflowById, workflowPage } from '../packages/server/store/workflows.ts'
import { aDatabase } from './database.ts'

const ACCOUNT = '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20'
const ID = '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a21'

type Explaining = Writer & Pick<Engine, 'known'>

/** How the engine would carry out the statements of `work` on a database as it is made: the steps of their plans. */
async function plansOf(work: (writer: Explaining) => Promise<unknown>): Promise<string[]> {
  await using database = await aDatabase('sqlite')
  const store = await openStore(database.place, () => 0, randomBytes)
  const steps: string[] = []
  try {
    const explain = async (sql: string, values: readonly Value[]) => {
      const rows = await store.all<{ detail: string }>(`explain query plan ${sql}`, values)
      steps.push(...rows.map(({ detail }) => detail))
    }
    const explaining: Explaining = {
      one: async (sql, values) => {
        await explain(sql, values)
        return undefined
      },
      all: async (sql, values) => {
        await explain(sql, values)
        return []
      },
      run: async (sql, values) => {
        await explain(sql, values)
        return 0
      },
      put: explain,
      common: (_name, open) => open(),
      subjects: [
        { accountId: ACCOUNT, id: ID },
        { accountId: ACCOUNT, id: ACCOUNT },
      ],
      known: (_name, read) => read(explaining),
    }
    await work(explaining).catch((error: Error) => assert.match(error.message, /lost its switches/))
  } finally {
    await store.close()
  }
  assert.ok(steps.length > 0)
  return steps
}

/** Reading an index from end to end is a scan as well; looping over what a subquery found is none. */
function assertNoScan(steps: readonly string[]): void {
  assert.deepEqual(
    steps.filter((step) => /^SCAN (?!CONSTANT ROW|found)/.test(step)),
    [],
    steps.join('\n'),
  )
}

function assertNoSort(steps: readonly string[]): void {
  assert.ok(!steps.some((step) => /TEMP B-TREE/.test(step)), steps.join('\n'))
}

function assertIndex(steps: readonly string[], index: string): void {
  assert.ok(
    steps.some((step) => step.includes(index)),
    steps.join('\n'),
  )
}

const FIRST_PAGE = { descending: false, after: null, limit: 50 }

function listTasks(filter: Partial<TaskFilter>, sort: TaskSort = 'created_at', page: Omit<PageRequest, 'columns'> = FIRST_PAGE) {
  return plansOf((reader) =>
    taskPage(reader, ACCOUNT, { includeArchived: false, ...filter }, { ...page, columns: TASK_ORDERS[sort].columns }),
  )
}

describe('the plan of a list of tasks', () => {
  const sorts: [sort: TaskSort, index: string, after: Value[]][] = [
    ['created_at', 'tasks_listed (account_id=?', [ID]],
    ['updated_at', 'tasks_by_update', [0, ID]],
    ['due_date', 'tasks_by_due_date', ['~', ID]],
  ]
  for (const [sort, index, after] of sorts) {
    for (const page of [
      FIRST_PAGE,
      { ...FIRST_PAGE, after },
      { ...FIRST_PAGE, descending: true },
      { after, descending: true, limit: 50 },
    ]) {
      const name = `${page.descending ? '-' : ''}${sort}${page.after === null ? '' : ' after a cursor'}`
      it(`by ${name} reads the rows in their order`, async () => {
        const steps = await listTasks({}, sort, page)

        assertNoScan(steps)
        assertNoSort(steps)
        assertIndex(steps, index)
      })
    }
  }

  const withArchived: [sort: TaskSort, index: string, after: Value[]][] = [
    ['created_at', 'sqlite_autoindex_tasks_1 (account_id=?', [ID]],
    ['updated_at', 'tasks_by_update', [0, ID]],
  ]
  for (const [sort, index, after] of withArchived) {
    for (const page of [
      FIRST_PAGE,
      { ...FIRST_PAGE, after },
      { ...FIRST_PAGE, descending: true },
      { after, descending: true, limit: 50 },
    ]) {
      const name = `${page.descending ? '-' : ''}${sort}${page.after === null ? '' : ' after a cursor'}`
      it(`by ${name} with archived ones reads the rows in their order`, async () => {
        const steps = await listTasks({ includeArchived: true }, sort, page)

        assertNoScan(steps)
        assertNoSort(steps)
        assertIndex(steps, index)
      })
    }
  }

  for (const [sort, index] of [
    ['created_at', 'tasks_listed'],
    ['due_date', 'tasks_by_due_date'],
  ] as const) {
    it(`by ${sort} reads no archived one: there is none in its index`, async () => {
      const steps = await listTasks({ includeArchived: true }, sort)

      assertNoScan(steps)
      assert.ok(!steps.some((step) => step.includes(index)), steps.join('\n'))
    })
  }

  const filters: [name: string, filter: Partial<TaskFilter>, index: string][] = [
    ['disposition', { disposition: 'waiting' }, 'tasks_by_disposition'],
    ['project_id', { projectId: ID }, 'tasks_by_project'],
    ['workflow_id', { workflowId: ID }, 'tasks_by_workflow'],
    ['status_id', { statusId: ID }, 'tasks_by_status'],
  ]
  for (const [name, filter, index] of filters) {
    for (const after of [null, [ID]]) {
      it(`filtered by ${name} reads only those${after === null ? '' : ', after a cursor'}, in their order`, async () => {
        const steps = await listTasks(filter, 'created_at', { ...FIRST_PAGE, after })

        assertNoScan(steps)
        assertNoSort(steps)
        assertIndex(steps, index)
      })
    }
  }

  it('filtered by updated_since reads only what changed since, also in the order of creation', async () => {
    for (const includeArchived of [false, true]) {
      const steps = await listTasks({ updatedSince: 1_000, includeArchived })

      assertNoScan(steps)
      assert.match(steps.join('\n'), /tasks_by_update \(account_id=\? AND updated_at>\?\)/)
    }
  })

  it('filtered by updated_since in the order of updates starts at that time', async () => {
    const steps = await listTasks({ updatedSince: 1_000 }, 'updated_at')

    assertNoScan(steps)
    assertNoSort(steps)
    assert.match(steps.join('\n'), /tasks_by_update \(account_id=\? AND updated_at>\?\)/)
  })

  const others: [name: string, filter: Partial<TaskFilter>, sort?: TaskSort][] = [
    ['updated_since, oldest first', { updatedSince: 1_000 }],
    ['dates, oldest first', { dueAfter: '2026-01-01', dueBefore: '2026-12-31' }],
    ['dates, by date', { dueAfter: '2026-01-01', dueBefore: '2026-12-31' }, 'due_date'],
    ['disposition, by update', { disposition: 'done' }, 'updated_at'],
    ['project and disposition, by date', { projectId: ID, disposition: 'waiting' }, 'due_date'],
    ['archived ones too', { includeArchived: true }],
    ['everything', { projectId: ID, workflowId: ID, statusId: ID, disposition: 'done', updatedSince: 1, dueAfter: '2026-01-01' }],
    ['words', { words: ['write'] }],
  ]
  for (const [name, filter, sort] of others) {
    it(`filtered by ${name} stays within the account`, async () => {
      const steps = await listTasks(filter, sort)

      assertNoScan(steps)
      assert.match(steps.join('\n'), /account_id=\?/)
    })
  }
})

describe('a search', () => {
  /** The statement for a page of tasks that hold `words`, with its values. */
  async function searchFor(words: readonly string[]): Promise<unknown[]> {
    const asked: unknown[] = []
    const reader: Reader = {
      one: async () => undefined,
      all: async (...statement) => {
        asked.push(...statement)
        return []
      },
    }
    await taskPage(reader, ACCOUNT, { includeArchived: false, words }, { ...FIRST_PAGE, columns: ['id'] })
    return asked
  }

  it('looks for each word once, however often it is said', async () => {
    const once = await searchFor(['call', 'mover'])

    assert.deepEqual(await searchFor(['call', 'mover', 'call', 'call', 'mover']), once)
    assert.notDeepEqual(await searchFor(['call']), once)
  })
})

describe('the plan of', () => {
  const page = { columns: ['id'], ...FIRST_PAGE }
  const byPosition = { ...FIRST_PAGE, columns: ['position', 'id'] }
  const inOrder: [name: string, work: (reader: Reader) => Promise<unknown>, index?: string][] = [
    ['projects, oldest first', (reader) => projectPage(reader, ACCOUNT, false, page)],
    ['projects by position', (reader) => projectPage(reader, ACCOUNT, false, byPosition), 'projects_by_position'],
    ['Workflows, oldest first', (reader) => workflowPage(reader, ACCOUNT, page)],
    ['Workflows by position', (reader) => workflowPage(reader, ACCOUNT, { ...byPosition, after: [1, ID] }), 'workflows_by_position'],
    ['the Statuses of a Workflow', (reader) => statusesOf(reader, ACCOUNT, ID), 'statuses_by_workflow'],
    ['tasks whose time has come', (reader) => dueTasks(reader, 0, null, 500), 'tasks_to_wake'],
    ['the tasks of a project', (reader) => tasksPointingTo(reader, ACCOUNT, 'project_id', ID, '', 100), 'tasks_by_project'],
    ['the tasks of a Workflow', (reader) => tasksPointingTo(reader, ACCOUNT, 'workflow_id', ID, ID, 100), 'tasks_by_workflow'],
    ['the tasks of a Status', (reader) => tasksPointingTo(reader, ACCOUNT, 'status_id', ID, '', 100), 'tasks_by_status'],
    ['tasks that are open', (reader) => openTasks(reader, ACCOUNT, ID, 100), 'tasks_by_disposition'],
    ['archived tasks, newest first', (reader) => taskPage(reader, ACCOUNT, ARCHIVED, { ...page, descending: true }), 'tasks_archived'],
    ['all tasks', (reader) => tasksAfter(reader, ACCOUNT, ID, 100), 'sqlite_autoindex_tasks_1'],
    ['events after a sequence', (reader) => eventsAfter(reader, ACCOUNT, 7, 100)],
    ['webhooks, oldest first', (reader) => webhookPage(reader, ACCOUNT, page)],
    ['deliveries, oldest first', (reader) => deliveryPage(reader, AT, null, page)],
    ['deliveries of a state, newest first', (reader) => deliveryPage(reader, AT, 'failed', { ...page, descending: true, after: [ID] })],
    ['deliveries of a webhook that are due', (reader) => dueDeliveries(reader, AT, 0, 10), 'deliveries_to_come'],
    ['the tokens of an account', (reader) => tokensOf(reader, ACCOUNT)],
    ['the sessions of an account', (reader) => sessionsOf(reader, ACCOUNT, 0)],
    ['accounts in order', (reader) => accountsWithEventsBefore(reader, 0, '', 500)],
  ]
  for (const [name, work, index] of inOrder) {
    it(`${name} reads them in their order`, async () => {
      const steps = await plansOf(work)

      assertNoScan(steps)
      assertNoSort(steps)
      if (index !== undefined) assertIndex(steps, index)
    })
  }

  const direct: [name: string, work: (writer: Explaining) => Promise<unknown>][] = [
    ['letting a request in', (reader) => admittance(reader, 'hash')],
    ['letting streams go on', (reader) => admittances(reader, [ID, ACCOUNT])],
    ['a page of the log', (reader) => readLog(reader, ACCOUNT, { after: 7, types: EVENT_TYPES, limit: 50 })],
    ['how far the log reaches', (reader) => reachOf(reader, ACCOUNT)],
    ['events by their sequences', (reader) => eventsAt(reader, ACCOUNT, [7, 9])],
    ['where logs end', (reader) => latestOf(reader, [ACCOUNT, ID])],
    ['one webhook', (reader) => webhookById(reader, ACCOUNT, ID)],
    ['a webhook of any account', (reader) => accountOfWebhook(reader, ID)],
    ['how many webhooks there are', (reader) => countWebhooks(reader, ACCOUNT)],
    ['webhooks that are behind', (reader) => webhooksBehind(reader, [ACCOUNT, ID])],
    ['claiming a webhook', (writer) => claimWebhook(writer, AT, { by: 'me', now: 0, until: 1 }, '')],
    ['reading a claimed webhook', (writer) => claimedWebhook(writer, AT, 'me', '')],
    ['storing how far a webhook has come', (writer) => saveStanding(writer, STANDING, { by: 'me', now: 0, until: 1 })],
    ['webhooks with something due', (reader) => webhooksWithDue(reader, 0, null, 100)],
    ['webhooks of some accounts with something due', (reader) => webhooksWithDue(reader, 0, [ACCOUNT, ID], 100)],
    ['one delivery', (reader) => deliveryById(reader, ACCOUNT, ID, ID)],
    ['storing a delivery', (writer) => updateDelivery(writer, ACCOUNT, DELIVERY)],
    ['giving deliveries up', (writer) => giveUpDeliveries(writer, ACCOUNT, ID)],
    ['forgetting old deliveries', (writer) => deleteDeliveriesBefore(writer, 0, 500, '')],
    ['deleting a webhook', (writer) => deleteWebhook(writer, ACCOUNT, ID)],
    ['one task', (reader) => taskById(reader, ACCOUNT, ID)],
    ['one project', (reader) => projectById(reader, ACCOUNT, ID)],
    ['one Workflow', (reader) => workflowById(reader, ACCOUNT, ID)],
    ['one Status', (reader) => statusById(reader, ACCOUNT, ID)],
    ['one token', (reader) => tokenOfAnyAccount(reader, ID)],
    ["one of an account's tokens", (reader) => tokenById(reader, ACCOUNT, ID)],
    ['forgetting tokens that ended', (writer) => deleteOldestEndedTokens(writer, ACCOUNT, 0, 900)],
    ['noting the use of a token', (writer) => saveTokenUse(writer, { accountId: ACCOUNT, id: ID, at: 0 })],
    ['letting a session in', (reader) => sessionAdmittance(reader, 'hash')],
    ['letting streams of sessions go on', (reader) => sessionsByIds(reader, [ID, ACCOUNT])],
    ['noting the use of a session', (writer) => saveUse(writer, SESSION)],
    ['ending a session', (writer) => deleteSession(writer, ACCOUNT, ID)],
    ['ending a session of any account', (writer) => deleteSessionOfAnyAccount(writer, ID)],
    ['ending all sessions', (writer) => deleteSessionsOf(writer, ACCOUNT)],
    ['ending sessions that are too many', (writer) => deleteLeastUsedSessions(writer, ACCOUNT, 100)],
    ['forgetting old sessions', (writer) => deleteSessionsBefore(writer, 0, 500, '')],
    ['whose an address is', (reader) => credentialsOf(reader, 'ada@example.org')],
    ['the hash of a password', (reader) => passwordHash(reader, ACCOUNT)],
    ['looking at a link', (reader) => linkByHash(reader, 'hash', 0)],
    ['taking a link', (writer) => takeLink(writer, 'hash', 0)],
    ['taking back the links of an account', (writer) => deleteLinksOf(writer, ACCOUNT)],
    ['forgetting old links', (writer) => deleteLinksBefore(writer, 0, 500, '')],
    ['giving a try back', (writer) => giveBackTry(writer, { key: 'key', beganAt: 0 })],
    ['counting tries', (reader) => triesOf(reader, 'key', 0)],
    ['forgetting old tries', (writer) => deleteTriesBefore(writer, 0, 500, '')],
    ['one plan', (reader) => planByKey(reader, 'pro')],
    ['an account by its address', (reader) => accountByEmail(reader, 'ada@example.org')],
    ['an account by its id', (reader) => accountById(reader, ACCOUNT)],
    ['shutting an account', (writer) => shutAccount(writer, ACCOUNT)],
    ['a checklist', (reader) => checklistOf(reader, ACCOUNT, ID)],
    ['the progress of a task', (reader) => progressOf(reader, ACCOUNT, ID)],
    ['checklists of several tasks', (reader) => checklistsOf(reader, ACCOUNT, [ID, ACCOUNT])],
    ['the progress of several tasks', (reader) => progressOfEach(reader, ACCOUNT, [ID, ACCOUNT])],
    ['the Statuses of several Workflows', (reader) => statusesOfEach(reader, ACCOUNT, [ID, ACCOUNT])],
    ['the tabs of an account', (reader) => tabsOf(reader, ACCOUNT)],
    ['the last position of projects', (reader) => lastProjectPosition(reader, ACCOUNT)],
    ['the last position of Workflows', (reader) => lastWorkflowPosition(reader, ACCOUNT)],
    ['an idempotency key', (reader) => usedKey(reader, ACCOUNT, 'POST /v1/tasks', 'key')],
    ['taking the ledger', (writer) => takeLedger(writer, ACCOUNT, '')],
    ['what an account uses', (reader) => usageOf(reader, ACCOUNT)],
    ['saving the ledger', (writer) => saveLedger(writer, ACCOUNT, LEDGER)],
    ['revoking a token', (writer) => revokeToken(writer, ACCOUNT, ID, 0)],
    ['forgetting old events', (writer) => deleteEventsBefore(writer, ACCOUNT, 0, 500, '')],
    ['forgetting old keys', (writer) => deleteKeysBefore(writer, 0, 500, '')],
    ['the tasks to be changed', (writer) => taskToChange(writer, ACCOUNT, ID)],
    ['deleting a task', (writer) => deleteTask(writer, ACCOUNT, ID)],
    ['deleting a Status', (writer) => deleteStatus(writer, ACCOUNT, ID)],
    ['deleting a Workflow', (writer) => deleteWorkflow(writer, ACCOUNT, ID)],
    ['deleting the progress of a task', (writer) => deleteProgress(writer, ACCOUNT, ID)],
    ['deleting an account', (writer) => deleteAccount(writer, ACCOUNT)],
  ]
  for (const [name, work] of direct) {
    it(`${name} scans no table`, async () => {
      assertNoScan(await plansOf(work))
    })
  }

  it('how many tasks are done looks at none of them', async () => {
    const steps = await plansOf((reader) => countDone(reader, ACCOUNT))

    assert.deepEqual(
      steps.filter((step) => step.includes('tasks')),
      [
        'SEARCH tasks USING COVERING INDEX tasks_by_disposition (account_id=? AND disposition=?)',
        'SEARCH tasks USING COVERING INDEX tasks_archived (account_id=?)',
      ],
    )
  })

  it('a sweep over webhooks reads them in the order of their keys', async () => {
    const steps = await plansOf((reader) => sweepWebhooks(reader, AT, 500))

    assertNoSort(steps)
    assert.match(steps.join('\n'), /SEARCH w USING PRIMARY KEY/)
  })

  it('the oldest delivery to come reads no more than those to come', async () => {
    assertIndex(await plansOf((reader) => oldestPending(reader)), 'deliveries_')
  })

  it('looking for any account ends at the first one', async () => {
    const sql: string[] = []
    const reader: Reader = { one: async (text) => void sql.push(text) as undefined, all: async () => [] }

    await anyAccount(reader)

    assert.match(sql[0] ?? '', /limit 1$/)
  })
})

const AT = { accountId: ACCOUNT, webhookId: ID }

const ARCHIVED: TaskFilter = { includeArchived: true, isArchived: true }

const WEBHOOK = newWebhook({ id: ID, secret: 'whsec_', now: 0 }, { url: 'https://example.org/', event_types: ['*'] })

const STANDING = { ...AT, webhook: WEBHOOK, sentThrough: 0, failingSince: null }

const DELIVERY: Delivery = {
  id: ID,
  webhookId: ID,
  eventId: ID,
  eventType: 'task.created',
  sequence: 1,
  state: 'pending',
  nextAttemptAt: 0,
  attempts: [],
  createdAt: 0,
}

const SESSION: Session = { id: ID, accountId: ACCOUNT, userAgent: null, createdAt: 0, lastUsedAt: 0, expiresAt: 1 }

const LEDGER = {
  plan: { key: 'pro', apiAccess: true, activeTasks: 1, tokenPerMinute: 1, accountPerMinute: 1, writesPerDay: 1 },
  activeTasks: 0,
  lastStamp: 0,
  lastId: '',
  lastSequence: 0,
  writeDay: 0,
  writesThatDay: 0,
}
