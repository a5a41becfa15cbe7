import assert from 'node:assert/strict'
import type { Resource } from './builders.ts'
import type { Client } from './client.ts'

/** What a test reads over and over. Each asserts that the answer is a 200. */

export interface Page {
  data: Resource[]
  has_more: boolean
  next_cursor: string | null
}

async function read(api: Client, path: string): Promise<Resource> {
  const reply = await api.get(path)
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

export const taskNow = (api: Client, { id }: { id: string }): Promise<Resource> => read(api, `/tasks/${id}`)

export const workflowNow = (api: Client, { id }: { id: string }): Promise<Resource> => read(api, `/workflows/${id}`)

export const stepsOf = async (api: Client, { id }: { id: string }): Promise<Resource[]> => (await read(api, `/tasks/${id}/steps`)).data

/** One page of a list, by its path with its parameters. */
export const pageOf = (api: Client, path: string): Promise<Page> => read(api, path)

/** A service gives no more pages than this to a test; a cursor that leads in a circle would, without end. */
const MAX_PAGES = 1_000

/** Every page of a list from the start on, by its path with its parameters; `between` is done after each. */
export async function pagesOf(
  api: Client,
  path: string,
  between: (pageNumber: number) => Promise<void> = async () => {},
): Promise<Resource[][]> {
  const pages: Resource[][] = []
  for (let next: string | null = path; next !== null; ) {
    const { data, has_more, next_cursor }: Page = await pageOf(api, next)
    assert.equal(has_more, next_cursor !== null)
    assert.ok((next_cursor ?? '').length <= 200)
    pages.push(data)
    assert.ok(pages.length <= MAX_PAGES, 'the pages have no end')
    next = next_cursor === null ? null : `${path}&cursor=${next_cursor}`
    await between(pages.length)
  }
  return pages
}

/** Every task that is not archived, the oldest first. */
export async function allTasks(api: Client): Promise<Resource[]> {
  return (await pagesOf(api, '/tasks?limit=100')).flat()
}
