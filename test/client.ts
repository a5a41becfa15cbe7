import { type Agent, request } from 'node:http'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

/** A plain HTTP client for tests: it sends exactly what it is told to, and hides nothing of the answer. */

export interface Reply {
  status: number
  headers: Record<string, string | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the body of an answer by the names the contract gives
  body: any
}

export interface SendOptions {
  headers?: Record<string, string | string[]>
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array
  /** Called once the system has all of the request. */
  onSent?: () => void
}

export interface Client {
  send(method: string, path: string, options?: SendOptions): Promise<Reply>
  get(path: string, headers?: SendOptions['headers']): Promise<Reply>
  post(path: string, body?: unknown, headers?: SendOptions['headers']): Promise<Reply>
  patch(path: string, body: unknown, headers?: SendOptions['headers']): Promise<Reply>
  delete(path: string, headers?: SendOptions['headers']): Promise<Reply>
  token: string | null
}

/**
 * A client of the service at `url`; paths are relative to `/v1` unless they begin with `//`, which stands for the root. Without an agent,
 * each request has a connection of its own.
 */
export function clientOf(url: string, token: string | null, agent: Agent | false = false): Client {
  const send: Client['send'] = (method, path, options = {}) =>
    new Promise((resolve, reject) => {
      const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
      const headers: Record<string, string | string[]> = {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        // Node frames the body of a DELETE only when it is told its length.
        ...(payload === undefined || options.headers?.['transfer-encoding'] !== undefined
          ? {}
          : { 'content-length': String(Buffer.byteLength(payload)) }),
        ...options.headers,
      }
      const { hostname, port } = new URL(url)
      const outgoing = request(
        { hostname, port, method, path: path.startsWith('//') ? path.slice(1) : `/v1${path}`, headers, agent },
        (incoming) => {
          const chunks: Buffer[] = []
          incoming.on('data', (chunk) => chunks.push(chunk))
          incoming.on('error', reject)
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const isJson = /json/.test(incoming.headers['content-type'] ?? '')
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers as Reply['headers'],
              text,
              body: isJson && text !== '' ? JSON.parse(text) : undefined,
            })
          })
        },
      )
      outgoing.on('error', reject)
      if (options.onSent !== undefined) outgoing.once('finish', options.onSent)
      outgoing.end(payload)
    })
  return {
    token,
    send,
    get: (path, headers) => send('GET', path, { ...(headers && { headers }) }),
    post: (path, body, headers) => send('POST', path, { body, ...(headers && { headers }) }),
    patch: (path, body, headers) => send('PATCH', path, { body, ...(headers && { headers }) }),
    delete: (path, headers) => send('DELETE', path, { ...(headers && { headers }) }),
  }
}

/** Sends bytes as they are, and answers with all that comes back until the service ends the connection. */
export function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  return textOf(socket)
}
