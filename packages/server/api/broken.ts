import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ProblemCode, problemDocument } from './problem.ts'
import { STATUS_CODES } from './status-codes.ts'

/** What is no HTTP, took too long to arrive, or wants a tunnel is answered by hand, for no request came of it. */
export interface BrokenRequests {
  /** To be told of every request that has begun, and of every one that was answered. */
  began(request: IncomingMessage): void
  answered(request: IncomingMessage): void
  refuse(error: Error & { code?: string }, socket: Socket): void
  /** For a request to become a tunnel (CONNECT), which Node gives to no route. */
  refuseTunnel(request: IncomingMessage, socket: Duplex): void
}

/** `errorsUrl` is what the type of a problem begins with. */
export function brokenRequests(errorsUrl: () => string): BrokenRequests {
  const underWay = new WeakMap<Socket, IncomingMessage>()
  const toClose = new WeakSet<Socket>()
  return {
    began: (request) => underWay.set(request.socket, request),
    answered: (request) => {
      underWay.delete(request.socket)
      if (toClose.has(request.socket)) request.socket.destroySoon()
    },
    refuse: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy()
      } else if (underWay.get(socket)?.complete) {
        // What is broken came after a request that is whole: an answer now would be taken for that one's.
        toClose.add(socket)
      } else {
        socket.end(problemAnswer('invalid_request', reasonOf(error), errorsUrl()))
      }
    },
    refuseTunnel: (_request, socket) => {
      socket.end(problemAnswer('not_found', 'This service opens no tunnels.', errorsUrl()))
    },
  }
}

function reasonOf({ code }: { code?: string }): string {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? 'The request took too long to arrive.'
    : 'This is no HTTP request that can be read, or its headers are too large.'
}

/** A whole HTTP response, to be written to a socket that is closed with it. */
function problemAnswer(code: ProblemCode, detail: string, errorsUrl: string): string {
  const requestId = randomUUID()
  const problem = problemDocument(code, detail, requestId, errorsUrl)
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json',
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
