import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aTask, aWorkflow, type Resource, statusOf, statusPath } from './builders.ts'
import { assertInvalid, ENGINES, HOUR, openWorld, type World } from './world.ts'

/** Two Workflows to move between: the first has a Status in every tab, the second lacks one in Waiting and in Done. */
interface Workflows {
  article: Resource
  talk: Resource
}

async function twoWorkflows(world: World): Promise<Workflows> {
  const statuses = [
    { name: 'Outline', disposition: 'in_progress' },
    { name: 'Slides', disposition: 'in_progress' },
    { name: 'Someday', disposition: 'on_hold' },
  ]
  return { article: await world.given(aWorkflow()), talk: await world.given(aWorkflow({ name: 'Talk', statuses })) }
}

/** Where a task stands, its Workflow and Status by name. */
interface Place {
  disposition: string
  workflow: keyof Workflows | null
  status: string | null
}

function idsOf(workflows: Workflows, { disposition, workflow, status }: Place) {
  const on = workflow === null ? null : workflows[workflow]
  return { disposition, workflow_id: on?.id ?? null, status_id: status === null ? null : statusOf(on, status).id }
}

type Sent = (on: Workflows) => Record<string, unknown>

const CREATED: { what: string; sent: Sent; lands: Place }[] = [
  { what: 'nothing', sent: () => ({}), lands: { disposition: 'not_started', workflow: null, status: null } },
  { what: 'a Disposition', sent: () => ({ disposition: 'waiting' }), lands: { disposition: 'waiting', workflow: null, status: null } },
  ...[
    ['Draft', 'in_progress'] as const,
    ['Review', 'in_progress'] as const,
    ['Feedback', 'waiting'] as const,
    ['Shelved', 'on_hold'] as const,
    ['Published', 'done'] as const,
  ].map(([status, disposition]) => ({
    what: `the Status ${status}`,
    sent: (({ article }) => ({ status_id: statusOf(article, status).id })) as Sent,
    lands: { disposition, workflow: 'article' as const, status },
  })),
  {
    what: 'a Status with the Workflow and Disposition it has',
    sent: ({ article }) => ({ status_id: statusOf(article, 'Feedback').id, workflow_id: article.id, disposition: 'waiting' }),
    lands: { disposition: 'waiting', workflow: 'article', status: 'Feedback' },
  },
  {
    what: 'a Status and null for the Workflow',
    sent: ({ article }) => ({ status_id: statusOf(article, 'Feedback').id, workflow_id: null }),
    lands: { disposition: 'waiting', workflow: 'article', status: 'Feedback' },
  },
  {
    what: 'a Workflow',
    sent: ({ article }) => ({ workflow_id: article.id }),
    lands: { disposition: 'not_started', workflow: 'article', status: null },
  },
  ...[
    ['not_started', null] as const,
    ['in_progress', 'Draft'] as const,
    ['waiting', 'Feedback'] as const,
    ['on_hold', 'Shelved'] as const,
    ['done', 'Published'] as const,
  ].map(([disposition, status]) => ({
    what: `a Workflow and ${disposition}`,
    sent: (({ article }) => ({ workflow_id: article.id, disposition })) as Sent,
    lands: { disposition, workflow: 'article' as const, status },
  })),
  {
    what: 'a Workflow and a Disposition that it has no Status for',
    sent: ({ talk }) => ({ workflow_id: talk.id, disposition: 'waiting' }),
    lands: { disposition: 'waiting', workflow: 'talk', status: null },
  },
]

const REVIEW: Place = { disposition: 'in_progress', workflow: 'article', status: 'Review' }
const FEEDBACK: Place = { disposition: 'waiting', workflow: 'article', status: 'Feedback' }
const NEW_ON_ARTICLE: Place = { disposition: 'not_started', workflow: 'article', status: null }

const CHANGED: { what: string; from: Place; sent: Sent; lands: Place }[] = [
  {
    what: 'a Status of its Workflow',
    from: REVIEW,
    sent: ({ article }) => ({ status_id: statusOf(article, 'Feedback').id }),
    lands: FEEDBACK,
  },
  {
    what: 'a Status of another Workflow',
    from: REVIEW,
    sent: ({ talk }) => ({ status_id: statusOf(talk, 'Someday').id }),
    lands: { disposition: 'on_hold', workflow: 'talk', status: 'Someday' },
  },
  {
    what: 'a Status, to a task on no Workflow',
    from: { disposition: 'done', workflow: null, status: null },
    sent: ({ talk }) => ({ status_id: statusOf(talk, 'Slides').id }),
    lands: { disposition: 'in_progress', workflow: 'talk', status: 'Slides' },
  },
  {
    what: 'a Status with the Workflow and Disposition it has',
    from: REVIEW,
    sent: ({ talk }) => ({ status_id: statusOf(talk, 'Slides').id, workflow_id: talk.id, disposition: 'in_progress' }),
    lands: { disposition: 'in_progress', workflow: 'talk', status: 'Slides' },
  },
  {
    what: 'null for the Status',
    from: REVIEW,
    sent: () => ({ status_id: null }),
    lands: { disposition: 'in_progress', workflow: 'article', status: null },
  },
  {
    what: 'null for the Status and a Disposition',
    from: REVIEW,
    sent: () => ({ status_id: null, disposition: 'waiting' }),
    lands: { disposition: 'waiting', workflow: 'article', status: null },
  },
  {
    what: 'another Workflow',
    from: REVIEW,
    sent: ({ talk }) => ({ workflow_id: talk.id }),
    lands: { disposition: 'in_progress', workflow: 'talk', status: 'Outline' },
  },
  {
    what: 'another Workflow without a Status for its Disposition',
    from: FEEDBACK,
    sent: ({ talk }) => ({ workflow_id: talk.id }),
    lands: { disposition: 'waiting', workflow: 'talk', status: null },
  },
  {
    what: 'another Workflow, not being started',
    from: NEW_ON_ARTICLE,
    sent: ({ talk }) => ({ workflow_id: talk.id }),
    lands: { disposition: 'not_started', workflow: 'talk', status: null },
  },
  {
    what: 'another Workflow and a Disposition',
    from: REVIEW,
    sent: ({ talk }) => ({ workflow_id: talk.id, disposition: 'on_hold' }),
    lands: { disposition: 'on_hold', workflow: 'talk', status: 'Someday' },
  },
  {
    what: 'another Workflow and a Disposition that it has no Status for',
    from: REVIEW,
    sent: ({ talk }) => ({ workflow_id: talk.id, disposition: 'done' }),
    lands: { disposition: 'done', workflow: 'talk', status: null },
  },
  {
    what: 'another Workflow and null for the Status',
    from: REVIEW,
    sent: ({ talk }) => ({ workflow_id: talk.id, status_id: null }),
    lands: { disposition: 'in_progress', workflow: 'talk', status: null },
  },
  {
    what: 'another Workflow, a Disposition, and null for the Status',
    from: REVIEW,
    sent: ({ talk }) => ({ workflow_id: talk.id, disposition: 'on_hold', status_id: null }),
    lands: { disposition: 'on_hold', workflow: 'talk', status: null },
  },
  {
    what: 'the Workflow it has and another Disposition',
    from: REVIEW,
    sent: ({ article }) => ({ workflow_id: article.id, disposition: 'waiting' }),
    lands: FEEDBACK,
  },
  {
    what: 'null for the Workflow',
    from: REVIEW,
    sent: () => ({ workflow_id: null }),
    lands: { disposition: 'in_progress', workflow: null, status: null },
  },
  {
    what: 'null for the Workflow and the Status',
    from: REVIEW,
    sent: () => ({ workflow_id: null, status_id: null }),
    lands: { disposition: 'in_progress', workflow: null, status: null },
  },
  {
    what: 'null for the Workflow, and a Disposition',
    from: REVIEW,
    sent: () => ({ workflow_id: null, disposition: 'waiting' }),
    lands: { disposition: 'waiting', workflow: null, status: null },
  },
  {
    what: 'another Disposition',
    from: REVIEW,
    sent: () => ({ disposition: 'waiting' }),
    lands: { disposition: 'waiting', workflow: 'article', status: null },
  },
]

const UNMOVED: { what: string; sent: Sent }[] = [
  { what: 'the Status it is on', sent: ({ article }) => ({ status_id: statusOf(article, 'Review').id }) },
  { what: 'the Workflow it is on', sent: ({ article }) => ({ workflow_id: article.id }) },
  { what: 'the Workflow and Disposition it has', sent: ({ article }) => ({ workflow_id: article.id, disposition: 'in_progress' }) },
  { what: 'the Disposition it has', sent: () => ({ disposition: 'in_progress' }) },
]

const CONTRADICTORY: { what: string; sent: Sent; names: string[] }[] = [
  {
    what: 'another Workflow',
    sent: ({ article, talk }) => ({ status_id: statusOf(article, 'Feedback').id, workflow_id: talk.id }),
    names: ['workflow_id'],
  },
  {
    what: 'another Disposition',
    sent: ({ article }) => ({ status_id: statusOf(article, 'Feedback').id, disposition: 'done' }),
    names: ['disposition'],
  },
  {
    what: 'another Workflow and another Disposition',
    sent: ({ article, talk }) => ({ status_id: statusOf(article, 'Feedback').id, workflow_id: talk.id, disposition: 'done' }),
    names: ['workflow_id', 'disposition'],
  },
]

for (const engine of ENGINES) {
  describe(`where a new task lands (${engine})`, () => {
    for (const { what, sent, lands } of CREATED) {
      it(`is by ${what}`, async () => {
        await using world = await openWorld(engine)
        const workflows = await twoWorkflows(world)

        const reply = await world.api.post('/tasks', { title: 'Write it', ...sent(workflows) })

        assert.equal(reply.status, 201, reply.text)
        assert.partialDeepStrictEqual(reply.body, {
          ...idsOf(workflows, lands),
          completed_at: lands.disposition === 'done' ? world.now : null,
        })
      })
    }

    for (const { what, sent, names } of CONTRADICTORY) {
      it(`is refused for a Status with ${what}`, async () => {
        await using world = await openWorld(engine)
        const workflows = await twoWorkflows(world)

        const reply = await world.api.post('/tasks', { title: 'Write it', ...sent(workflows) })

        assertInvalid(reply, ...names.map((name) => ['body', name, 'conflict'] as [string, string, string]))
        assert.deepEqual((await world.api.get('/tasks')).body.data, [])
      })
    }

    it('is the first Status by position, not by age', async () => {
      await using world = await openWorld(engine)
      const workflow = await world.given(aWorkflow())
      await world.api.patch(statusPath(workflow, 'Publish'), { position: 0.5 })

      const task = await world.given(aTask({ workflow_id: workflow.id, disposition: 'in_progress' }))

      assert.equal(task.status_id, statusOf(workflow, 'Publish').id)
    })
  })

  describe(`where a changed task lands (${engine})`, () => {
    for (const { what, from, sent, lands } of CHANGED) {
      it(`is by ${what}`, async () => {
        await using world = await openWorld(engine)
        const workflows = await twoWorkflows(world)
        const { status_id, ...place } = idsOf(workflows, from)
        const task = await world.given(aTask(status_id === null ? place : { status_id }))
        world.advance(HOUR)

        const reply = await world.api.patch(`/tasks/${task.id}`, sent(workflows))

        assert.equal(reply.status, 200, reply.text)
        assert.partialDeepStrictEqual(reply.body, {
          ...idsOf(workflows, lands),
          completed_at: lands.disposition === 'done' ? world.now : null,
          updated_at: world.now,
        })
        assert.notEqual(reply.body.version, task.version)
      })
    }

    for (const { what, sent } of UNMOVED) {
      it(`is where it was by ${what}, and no change`, async () => {
        await using world = await openWorld(engine)
        const workflows = await twoWorkflows(world)
        const task = await world.given(aTask({ status_id: statusOf(workflows.article, 'Review').id }))
        world.advance(HOUR)

        const reply = await world.api.patch(`/tasks/${task.id}`, sent(workflows))

        assert.equal(reply.status, 200)
        assert.deepEqual(reply.body, task)
      })
    }

    for (const { what, sent, names } of [
      ...CONTRADICTORY,
      {
        what: 'null for the Workflow',
        sent: (({ article }) => ({ status_id: statusOf(article, 'Feedback').id, workflow_id: null })) as Sent,
        names: ['workflow_id'],
      },
    ]) {
      it(`is refused for a Status with ${what}, and nothing changes`, async () => {
        await using world = await openWorld(engine)
        const workflows = await twoWorkflows(world)
        const task = await world.given(aTask({ status_id: statusOf(workflows.article, 'Review').id }))

        const reply = await world.api.patch(`/tasks/${task.id}`, { title: 'Another', ...sent(workflows) })

        assertInvalid(reply, ...names.map((name) => ['body', name, 'conflict'] as [string, string, string]))
        assert.deepEqual((await world.api.get(`/tasks/${task.id}`)).body, task)
      })
    }

    it('keeps its Status when the Workflow and Disposition it has are sent with another change', async () => {
      await using world = await openWorld(engine)
      const task = await world.given(aTask({ onStatus: 'Publish' }))

      const reply = await world.api.patch(`/tasks/${task.id}`, {
        title: 'Another',
        workflow_id: task.workflow_id,
        disposition: 'in_progress',
      })

      assert.partialDeepStrictEqual(reply.body, { title: 'Another', status_id: task.status_id })
    })
  })
}
