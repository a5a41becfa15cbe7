import assert from 'node:assert/strict'
import type { BrowserContextOptions } from 'playwright-core'
import { aProject, aStep, aTask, aWorkflow, type Resource, statusOf } from '../builders.ts'
import { aWebhook, openReceiver, REACHABLE, type Receiver } from '../receiver.ts'
import { HOUR, MINUTE, type World } from '../world.ts'
import { type Device, openBrowserWorld } from './device.ts'

/** An account as it may be after some weeks: something in every tab, of every kind there is, in the morning of a Tuesday. */

interface LivedIn {
  /** On a Workflow, with some of its steps done. */
  onWorkflow: Resource
  /** With a checklist of its own. */
  withSteps: Resource
  archived: Resource
  workflow: Resource
  project: Resource
  /** With deliveries that succeeded, one that failed, and one that is on its way. */
  webhook: Resource
}

const ARTICLE = [
  { name: 'Draft', disposition: 'in_progress' },
  { name: 'Revise', disposition: 'in_progress' },
  { name: 'Pictures', disposition: 'in_progress' },
  { name: 'Publish', disposition: 'in_progress' },
  { name: 'With the editor', disposition: 'waiting' },
  { name: 'Needs an idea', disposition: 'on_hold' },
  { name: 'Published', disposition: 'done' },
]

const ORDER = [
  { name: 'Offer', disposition: 'in_progress' },
  { name: 'Deliver', disposition: 'in_progress' },
  { name: 'Offer sent', disposition: 'waiting' },
  { name: 'Waiting for payment', disposition: 'waiting' },
  { name: 'Paid', disposition: 'done' },
]

/** A browser that is signed in to such an account. */
export async function openLivedIn(
  options: BrowserContextOptions,
): Promise<AsyncDisposable & { world: World; device: Device; lived: LivedIn }> {
  const scene = await openBrowserWorld({ environment: REACHABLE })
  const receiver = await openReceiver()
  const lived = await liveIn(scene.world, receiver)
  return {
    world: scene.world,
    lived,
    device: await scene.signedIn(options),
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]()
      await scene[Symbol.asyncDispose]()
    },
  }
}

/** Fills the world's account. The receiver is where its webhook sends to. */
async function liveIn(world: World, receiver: Receiver): Promise<LivedIn> {
  const { api, given } = world
  const [kitchen, newsletter] = [
    await given(aProject({ name: 'Kitchen', description: 'Done by Christmas, with luck.' })),
    await given(aProject({ name: 'Newsletter' })),
  ]
  const old = await given(aProject({ name: 'Summer party' }))
  await api.patch(`/projects/${old.id}`, { archived: true })
  const article = await given(
    aWorkflow({ name: 'Article', emoji: '✍️', description: 'From a first line to the web page.', statuses: ARTICLE }),
  )
  const order = await given(aWorkflow({ name: 'Order', emoji: '📦', statuses: ORDER }))
  const on = (workflow: Resource, name: string) => statusOf(workflow, name).id
  const add = async (title: string, fields: Record<string, unknown> = {}) => {
    world.advance(17 * MINUTE)
    return given(aTask({ title, ...fields }))
  }

  await add('Compare three offers for the worktop', { project_id: kitchen.id, due_date: '2026-12-04' })
  await add('Learn to sharpen knives')
  await add('Find a cover picture for the spring issue', { project_id: newsletter.id, notes: 'Something with snowdrops?' })
  await add('Renew the passport', { due_date: '2027-01-15' })
  await add('Book the train to Hamburg', { disposition: 'in_progress', due_date: '2026-11-24' })
  await add('Water the plants', { disposition: 'in_progress', estimate_minutes: 10 })
  await add('Call the electrician about the second socket', { disposition: 'in_progress', project_id: kitchen.id, due_date: '2026-11-23' })
  const withSteps = await add('Plan the winter newsletter', {
    disposition: 'in_progress',
    project_id: newsletter.id,
    due_date: '2026-11-27',
    notes: 'Four pages at most.\nAsk Mira whether she would write about the library.',
  })
  for (const [name, minutes] of [
    ['Collect ideas', 30],
    ['Ask Mira and Jonas', 10],
    ['Make a plan of the pages', 45],
    ['Send it round', 5],
  ] as const)
    await given(aStep(withSteps, { name, minutes }))
  const onWorkflow = await add('Twenty years of our library', {
    status_id: on(article, 'Draft'),
    project_id: newsletter.id,
    due_date: '2026-11-30',
  })
  await add('What the river carries', { status_id: on(article, 'Pictures') })
  await add('Shelf for Ms Okafor', { status_id: on(order, 'Deliver'), due_date: '2026-11-26' })
  await add('Answer of the insurance', { disposition: 'waiting' })
  await add('Portrait of the new mayor', { status_id: on(article, 'With the editor') })
  await add('Table for the Lindgren family', { status_id: on(order, 'Waiting for payment') })
  for (const [title, until] of [
    ['Bring the bicycle to the workshop', '2026-11-30T08:00:00Z'],
    ['Order seeds for the balcony', '2027-02-01T08:00:00Z'],
  ] as const) {
    const { id } = await add(title)
    await api.post(`/tasks/${id}/later`, { until })
  }
  await add('Write down the family recipes', { disposition: 'on_hold' })
  for (const title of ['Pay the rent', 'Send the invoice to Ms Okafor', 'Return the library books', 'Birthday card for Aunt Tilda']) {
    const { id } = await add(title, { disposition: 'in_progress' })
    await api.post(`/tasks/${id}/complete`)
  }
  const archived = await add('Invite everybody to the summer party', { project_id: old.id })
  await api.post(`/tasks/${archived.id}/archive`)

  const [step] = (await api.get(`/tasks/${withSteps.id}/steps`)).body.data
  await api.patch(`/tasks/${withSteps.id}/steps/${step.id}`, { completed: true })
  await api.patch(`/tasks/${onWorkflow.id}/steps/${on(article, 'Draft')}`, { completed: true, minutes: 90 })
  const webhook = await aWatchedWebhook(world, receiver)
  await makeTokens(world)
  world.advance(Date.parse('2026-11-24T09:30:00Z') - world.clock())
  return { onWorkflow, withSteps, archived, workflow: article, project: kitchen, webhook }
}

async function aWatchedWebhook(world: World, receiver: Receiver): Promise<Resource> {
  const webhook = await world.given(
    aWebhook(receiver, { description: 'Tells the wall calendar', event_types: ['task.*', 'project.updated'] }),
  )
  for (const [answer, title] of [
    [200, 'Buy stamps'],
    [410, 'Post the parcel'],
    [200, 'Empty the letter box'],
  ] as const) {
    receiver.answer = answer
    await world.given(aTask({ title, disposition: 'done' }))
    await world.service.timers.deliver()
    if (answer === 410) await world.api.patch(`/webhooks/${webhook.id}`, { enabled: true })
    world.advance(MINUTE)
  }
  await world.given(aWebhook(receiver, { description: 'A second one, turned off', enabled: false }))
  return webhook
}

async function makeTokens(world: World): Promise<void> {
  const person = await world.signIn()
  const tokens = [
    { name: 'Wall calendar', scopes: ['tasks:read', 'projects:read'], lifetime_days: 366 },
    { name: 'Backup script', scopes: ['tasks:read', 'projects:read', 'workflows:read'], lifetime_days: 90 },
    { name: 'Tried out', scopes: ['tasks:write'], lifetime_days: 7 },
  ]
  for (const token of tokens) {
    const { status, body } = await person.post('/tokens', token)
    assert.equal(status, 201)
    if (token.name === 'Tried out') await person.post(`/tokens/${body.id}/revoke`)
    world.advance(HOUR)
  }
  await person.post('/sign_out')
}
