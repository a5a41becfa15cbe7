import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MalformedJson, parseJson } from './json.ts'
import { notJson, type RequestProblem } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What is wrong with a body that could not be read; the request's check lists it with all else. */
    bodyProblem: RequestProblem | null
  }
}

/** Bodies are JSON or nothing. An empty one is no body, whatever its Content-Type says. */
export function parseBodies(app: Pick<FastifyInstance, 'removeAllContentTypeParsers' | 'addContentTypeParser' | 'decorateRequest'>): void {
  app.decorateRequest('bodyProblem', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
    bytes.length === 0 ? undefined : read(request, bytes),
  )
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    if (bytes.length > 0) request.bodyProblem = notJson()
  })
}

function read(request: FastifyRequest, bytes: Buffer): unknown {
  try {
    return parseJson(bytes)
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    request.bodyProblem = { in: 'body', name: '', pointer: '', code: 'malformed', detail: error.message }
    return undefined
  }
}
