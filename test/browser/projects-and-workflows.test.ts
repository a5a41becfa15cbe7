import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { aProject, aTask, aWorkflow, type Resource, statusOf } from '../builders.ts'
import { boardOn } from './board.ts'
import { describeInBrowser, openBrowserWorld } from './device.ts'
import { drag } from './dragging.ts'
import { comesTo, hasFocus, presses, sees, seesNo } from './seeing.ts'

/** What tasks are for, and the ways in which they go. */

const namesOf = (list: readonly Resource[]) => list.map(({ name }) => name)

const handleOf = (page: Page, name: string) => page.getByRole('button', { name: `Move ${name}: drag it, or use the arrow keys` })

const itemOf = (list: Locator, page: Page, name: string) => list.getByRole('listitem').filter({ has: handleOf(page, name) })

async function openPage(path: string, prepare: (scene: Awaited<ReturnType<typeof openBrowserWorld>>) => Promise<unknown>) {
  const scene = await openBrowserWorld()
  await prepare(scene)
  const { page, open } = await scene.signedIn()
  await open(path)
  return { world: scene.world, page, open, board: boardOn(page), [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() }
}

describeInBrowser('projects and Workflows', () => {
  it('projects are added by typing, and put in order by dragging and with the arrow keys', async () => {
    await using scene = await openPage('/projects', async () => {})
    const { world, page } = scene
    const stored = async () =>
      namesOf((await world.api.get('/projects')).body.data.toSorted((a: Resource, b: Resource) => a.position - b.position))

    for (const name of ['Kitchen', 'Garden', 'Newsletter']) {
      await page.getByRole('textbox', { name: 'New project' }).fill(name)
      await page.keyboard.press('Enter')
    }
    await comesTo(['Kitchen', 'Garden', 'Newsletter'], stored)
    await sees(page.getByRole('button', { name: 'Edit Newsletter' }))
    const list = page.getByRole('list', { name: 'Projects' })
    await drag(page, handleOf(page, 'Newsletter'), itemOf(list, page, 'Kitchen'), 'top')
    await comesTo(['Newsletter', 'Kitchen', 'Garden'], stored)
    await handleOf(page, 'Kitchen').press('ArrowDown')

    await comesTo(['Newsletter', 'Garden', 'Kitchen'], stored)
    await hasFocus(handleOf(page, 'Kitchen'))
  })

  it('a project is edited, archived and brought back, and once it is deleted its tasks are in none', async () => {
    await using scene = await openPage('/projects', async ({ world }) => {
      const project = await world.given(aProject({ name: 'Kitchen' }))
      await world.given(aTask({ title: 'Call the electrician', project_id: project.id }))
    })
    const { world, page, board } = scene
    const project = async () => (await world.api.get('/projects?include_archived=true')).body.data[0]

    await page.getByRole('button', { name: 'Edit Kitchen' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Kitchen and hall')
    await page.getByRole('textbox', { name: 'Description' }).fill('By Christmas')
    await page.getByRole('button', { name: 'Save' }).click()
    await comesTo(['Kitchen and hall', 'By Christmas'], async () => [(await project()).name, (await project()).description])
    await page.getByRole('button', { name: 'More for Kitchen and hall' }).click()
    await presses(board.choice('Archive'))
    await comesTo(true, async () => (await project()).archived)
    await presses(page.getByRole('button', { name: 'Take Kitchen and hall out of the archive' }))
    await comesTo(false, async () => (await project()).archived)
    await page.getByRole('button', { name: 'More for Kitchen and hall' }).click()
    await presses(board.choice('Delete'))
    await sees(page.getByText('Its 1 open task stays, in no project.'))
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()

    await comesTo(undefined, project)
    const [task] = (await world.api.get('/tasks')).body.data
    assert.deepEqual([task.title, task.project_id], ['Call the electrician', null])
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await board.tab('Not started').click()
    await sees(board.title('Call the electrician'))
  })

  it('the open tasks of a project lead to the board, which shows those and no others', async () => {
    await using scene = await openPage('/projects', async ({ world }) => {
      const project = await world.given(aProject({ name: 'Kitchen' }))
      await world.given(aTask({ title: 'Call the electrician', project_id: project.id, disposition: 'in_progress' }))
      await world.given(aTask({ title: 'Water the plants', disposition: 'in_progress' }))
    })
    const { page, board } = scene

    await page.getByRole('link', { name: '1 open task in Kitchen' }).click()

    await comesTo(['Call the electrician'], board.titles)
    await page.getByRole('button', { name: 'Show everything' }).click()
    await comesTo(['Water the plants', 'Call the electrician'], board.titles)
  })

  it('a Workflow is made with the Statuses that it begins with, and named and described where that stands', async () => {
    await using scene = await openPage('/workflows', async () => {})
    const { world, page } = scene
    await page.getByRole('button', { name: 'New Workflow' }).click()
    const dialog = page.getByRole('dialog', { name: 'New Workflow' })
    await presses(dialog.getByRole('textbox', { name: 'Name' }))
    await page.keyboard.type('Article')
    await dialog.getByRole('button', { name: '🎨' }).click()
    await dialog.getByRole('radio', { name: 'Writing' }).check()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()

    await presses(page.getByRole('link', { name: 'Article' }))
    await page.getByRole('textbox', { name: 'Description' }).fill('From a first line to the web page')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Long article')
    await page.keyboard.press('Enter')

    await sees(page.getByRole('heading', { level: 1, name: 'Long article' }))
    await comesTo(['Long article', '🎨', 'From a first line to the web page'], async () => {
      const { name, emoji, description } = (await world.api.get('/workflows')).body.data[0]
      return [name, emoji, description]
    })
    const { id } = (await world.api.get('/workflows')).body.data[0]
    const { data } = (await world.api.get(`/workflows/${id}/statuses`)).body
    assert.deepEqual(namesOf(data), ['Draft', 'Revise', 'Publish', 'In review', 'Published'])
  })

  it('Statuses are added, renamed, put in order and moved to another tab with their tasks, and their tasks stay when they are deleted', async () => {
    let workflow: Resource
    await using scene = await openPage('/workflows', async ({ world }) => {
      workflow = await world.given(aWorkflow({ name: 'Article' }))
      await world.given(aTask({ title: 'Write it', status_id: statusOf(workflow, 'Review').id }))
    })
    const { world, page, board } = scene
    const stored = async () => namesOf((await world.api.get(`/workflows/${workflow.id}/statuses`)).body.data)
    const task = async () => (await world.api.get('/tasks')).body.data[0]
    await page.getByRole('link', { name: 'Article' }).click()
    const today = page.getByRole('list', { name: 'Statuses in Today' })

    await page.getByRole('textbox', { name: 'New Status in Today' }).fill('Pictures')
    await page.keyboard.press('Enter')
    await comesTo(['Draft', 'Review', 'Publish', 'Pictures', 'Feedback', 'Shelved', 'Published'], stored)
    await drag(page, handleOf(page, 'Pictures'), itemOf(today, page, 'Review'), 'bottom')
    await comesTo(['Draft', 'Review', 'Pictures', 'Publish', 'Feedback', 'Shelved', 'Published'], stored)
    await handleOf(page, 'Pictures').press('ArrowUp')
    await comesTo(['Draft', 'Pictures', 'Review', 'Publish', 'Feedback', 'Shelved', 'Published'], stored)
    const first = itemOf(today, page, 'Draft').getByRole('textbox', { name: 'Name of the Status' })
    await first.fill('Sketch')
    await first.press('Enter')
    await comesTo(['Sketch', 'Pictures', 'Review', 'Publish', 'Feedback', 'Shelved', 'Published'], stored)
    await drag(page, handleOf(page, 'Review'), itemOf(page.getByRole('list', { name: 'Statuses in Waiting' }), page, 'Feedback'), 'top')
    await comesTo(['Sketch', 'Pictures', 'Publish', 'Review', 'Feedback', 'Shelved', 'Published'], stored)
    await comesTo('waiting', async () => (await task()).disposition)

    await page.getByRole('button', { name: 'More for Review' }).click()
    await presses(board.choice('Delete'))
    await presses(page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }))
    await comesTo(['Sketch', 'Pictures', 'Publish', 'Feedback', 'Shelved', 'Published'], stored)
    await comesTo(['waiting', null, workflow.id], async () => {
      const { disposition, status_id, workflow_id } = await task()
      return [disposition, status_id, workflow_id]
    })
  })

  it('a Workflow that is deleted leaves its tasks in their tabs', async () => {
    await using scene = await openPage('/workflows', async ({ world }) => {
      await world.given(aTask({ title: 'Write it', onStatus: 'Review' }))
    })
    const { world, page, board } = scene

    await page.getByRole('button', { name: 'Delete Article' }).click()
    await presses(page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }))

    await sees(page.getByText('There is no Workflow yet.'))
    await seesNo(page.getByRole('alertdialog'))
    await comesTo([], async () => (await world.api.get('/workflows')).body.data)
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await sees(board.title('Write it'), board.tab('Today', 1))
  })
})
