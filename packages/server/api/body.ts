import type { FastifyInstance } from 'fastify'
import { MalformedJson, parseJson } from './json.ts'
import { BadRequest } from './problem.ts'

/** Bodies are JSON or nothing. An empty one is no body, whatever its Content-Type says. */
export function parseBodies(app: Pick<FastifyInstance, 'removeAllContentTypeParsers' | 'addContentTypeParser'>): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) =>
    bytes.length === 0 ? undefined : read(bytes),
  )
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => {
    if (bytes.length === 0) return undefined
    throw new BadRequest([
      {
        in: 'header',
        name: 'Content-Type',
        code: 'invalid_value',
        detail: 'Content-Type must be application/json for a request with a body.',
      },
    ])
  })
}

function read(bytes: Buffer): unknown {
  try {
    return parseJson(bytes)
  } catch (error) {
    if (error instanceof MalformedJson)
      throw new BadRequest([{ in: 'body', name: '', pointer: '', code: 'malformed', detail: error.message }])
    throw error
  }
}
