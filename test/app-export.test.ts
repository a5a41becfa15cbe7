import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aProject, aStep, aTask, aWorkflow, type Resource, statusOf } from './builders.ts'
import { putTasks } from './bulk.ts'
import { meddle } from './database.ts'
import type { SignedUp } from './visitor.ts'
import { ENGINES, openWorld } from './world.ts'

async function exportOf(ada: SignedUp): Promise<Resource> {
  const reply = await ada.get('/export')
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

const ALLOWED = { environment: { WEBHOOK_ALLOWED_RANGES: '127.0.0.1' } }

for (const engine of ENGINES) {
  describe(`the export (${engine})`, () => {
    it('is a file with everything in the account, as the API shows it', async () => {
      await using world = await openWorld(engine, ALLOWED)
      const ada = await world.signUp({ name: 'Ada', time_zone: 'Europe/London' })
      const [project, workflow] = [await aProject()(ada), await aWorkflow()(ada)]
      const checklist = await aTask({ project_id: project.id })(ada)
      await aStep(checklist)(ada)
      const onWorkflow = await aTask({ status_id: statusOf(workflow, 'Review').id })(ada)
      await ada.patch(`/tasks/${onWorkflow.id}/steps/${statusOf(workflow, 'Draft').id}`, { completed: true, minutes: 5 })
      const archived = await aTask({ disposition: 'done' })(ada)
      await ada.post(`/tasks/${archived.id}/archive`)
      const label = (await ada.patch('/dispositions/waiting', { label: 'Elsewhere' })).body
      const webhook = (await ada.post('/webhooks', { url: 'http://127.0.0.1:4000/', event_types: ['*'] })).body
      const { value, ...token } = (await ada.post('/tokens', { name: 'script', scopes: ['tasks:read'], lifetime_days: 1 })).body

      const reply = await ada.get('/export')

      assert.equal(reply.headers['content-disposition'], 'attachment; filename="fivetab-2026-11-21.json"')
      const { dispositions, tasks, webhooks, ...rest } = reply.body
      assert.deepEqual(rest, {
        object: 'export',
        exported_at: world.now,
        account: {
          object: 'account',
          id: ada.person.id,
          email: ada.person.email,
          name: 'Ada',
          time_zone: 'Europe/London',
          plan: 'unlimited',
          created_at: world.now,
        },
        projects: [project],
        workflows: (await Promise.all([ada.get(`/workflows/${workflow.id}`)])).map(({ body }) => body),
        tokens: [token],
        events: (await ada.get('/events?limit=100')).body.data,
      })
      assert.deepEqual(dispositions[2], label)
      const { secret, ...shown } = webhook
      assert.deepEqual(webhooks, [shown])
      const asShown = async ({ id }: Resource) => ({
        ...(await ada.get(`/tasks/${id}`)).body,
        steps: (await ada.get(`/tasks/${id}/steps`)).body.data,
      })
      assert.deepEqual(tasks, await Promise.all([checklist, onWorkflow, archived].map(asShown)))
      assert.deepEqual(
        tasks.map(({ steps }: Resource) => steps.length),
        [1, 3, 0],
      )
    })

    it('holds nothing that opens anything, and nothing of another account', async () => {
      await using world = await openWorld(engine, ALLOWED)
      const [ada, bob] = [await world.signUp(), await world.signUp()]
      const { secret } = (await ada.post('/webhooks', { url: 'http://127.0.0.1:4000/', event_types: ['*'] })).body
      const { value } = (await ada.post('/tokens', { name: 'script', scopes: ['tasks:read'], lifetime_days: 1 })).body
      await aTask({ title: 'Of Bob' })(bob)

      const { text } = await ada.get('/export')

      const cookie = (ada.cookie as string).split('=')[1] as string
      for (const word of [secret, value, cookie, 'svc_pat_', 'argon2', 'hash', 'Of Bob']) assert.ok(!text.includes(word), word)
    })

    it('is whole, however many pages that is', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await putTasks(world, 305, { of: { id: ada.person.id, email: ada.person.email } })
      await Promise.all(Array.from({ length: 130 }, () => aProject()(ada)))

      const { tasks, projects, events } = await exportOf(ada)

      const idsOf = (things: Resource[]) => new Set(things.map(({ id }) => id)).size
      assert.deepEqual([tasks.length, projects.length, events.length], [305, 130, 130])
      assert.deepEqual([idsOf(tasks), idsOf(projects), idsOf(events)], [305, 130, 130])
    })

    it('begins with the events that are kept, where the first were forgotten', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await aProject()(ada)
      world.advance(31 * 86_400_000 - 1)
      await ada.post('/sign_in', { email: ada.person.email, password: ada.password })
      await aProject()(ada)
      await world.service.timers.prune()

      const { events } = await exportOf(ada)

      assert.deepEqual(
        events.map(({ sequence }: Resource) => sequence),
        [2],
      )
    })

    it('that cannot be made is an error or breaks off, and the log says why', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()
      await meddle(world, 'alter table webhooks rename to hidden')

      for (const encoding of ['identity', 'gzip']) {
        const headers = { cookie: ada.cookie as string, 'accept-encoding': encoding }
        const reply = await fetch(`${world.service.url}/app/export`, { headers })
        if (reply.status === 500) assert.match(await reply.text(), /"internal_error"/)
        else await assert.rejects(reply.text())
      }
      await meddle(world, 'alter table hidden rename to webhooks')

      const told = world.logged.filter(({ msg }) => msg === 'an answer broke off, since the rest of it could not be made')
      assert.equal(told.length, 2)
      assert.match(JSON.stringify(told), /webhooks/)
    })

    it('is packed for whoever takes gzip', async () => {
      await using world = await openWorld(engine)
      const ada = await world.signUp()

      const packed = await fetch(`${world.service.url}/app/export`, { headers: { cookie: ada.cookie as string } })

      assert.equal(packed.headers.get('content-encoding'), 'gzip')
      assert.deepEqual(await packed.json(), await exportOf(ada))
    })
  })
}
