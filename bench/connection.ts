import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * One kept-open connection that carries one request at a time, with as little work as the load's core can do: no more of HTTP is read than what the
 * servers of the bench send.
 */
export interface Connection {
  /** Sends a whole request, head and body. @throws when the connection is lost */
  send(request: string): Promise<Answer>
  close(): void
}

export interface Answer {
  status: number
  /** The version of what was answered with; empty where there is none. */
  etag: string
  body: string
}

export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  await once(socket, 'connect')
  let received = ''
  let waiting: PromiseWithResolvers<Answer> | null = null
  const lost = () => waiting?.reject(new Error('The server closed a connection.'))
  socket.on('error', lost)
  socket.on('close', lost)
  socket.on('data', (chunk: string) => {
    received = received === '' ? chunk : received + chunk
    const answer = wholeAnswer(received)
    if (answer === null || waiting === null) return
    received = ''
    const { resolve } = waiting
    waiting = null
    resolve(answer)
  })
  return {
    send: (request) => {
      waiting = Promise.withResolvers<Answer>()
      socket.write(request, 'latin1')
      return waiting.promise
    },
    close: () => {
      waiting = null
      socket.destroy()
    },
  }
}

/** The answer that `text` holds; null as long as it is not whole. */
function wholeAnswer(text: string): Answer | null {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = text.slice(0, end)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const start = end + 4
  if (text.length < start + length) return null
  return { status: Number(head.slice(9, 12)), etag: /\r\netag: (\S+)/i.exec(head)?.[1] ?? '', body: text.slice(start, start + length) }
}

export interface RequestParts {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: object
  /** What If-Match says. */
  match?: string
}

/** The bytes of a request; its body is ASCII. */
export function requestText({ method, path, body, match }: RequestParts, token: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  const condition = match === undefined ? '' : `If-Match: ${match}\r\n`
  if (body === undefined) return `${head}${condition}\r\n`
  const json = JSON.stringify(body)
  return `${head}${condition}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`
}
