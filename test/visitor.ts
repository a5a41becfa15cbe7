import assert from 'node:assert/strict'
import type { Agent } from 'node:http'
import type { Resource } from './builders.ts'
import { type Client, clientOf, type SendOptions } from './client.ts'

/** Somebody at a browser, as far as the service can tell: it keeps the cookie that it is given, sends it along, and says of which page a change is. */

export interface Visitor extends Client {
  /** What is sent as `Cookie`; null for none. A test may take it away, or give another one. */
  cookie: string | null
}

/** A person who has signed up. */
export interface SignedUp extends Visitor {
  /** As they were then. */
  person: Resource
  password: string
}

export const PASSWORD = 'correct horse battery'

/**
 * A visitor of the service at `url`, which is known as `baseUrl`. Paths are relative to `/app` unless they begin with `//`, which stands for the root.
 */
export function visitorOf(url: string, agent: Agent | false, baseUrl: string): Visitor {
  const { origin } = new URL(baseUrl)
  const client = clientOf(url, null, agent)
  const send: Visitor['send'] = async (method, path, options = {}) => {
    const headers = {
      ...(visitor.cookie !== null && { cookie: visitor.cookie }),
      ...(method !== 'GET' && method !== 'HEAD' && { origin }),
      ...options.headers,
    }
    const reply = await client.send(method, path.startsWith('//') ? path : `//app${path}`, { ...options, headers })
    for (const text of cookiesOf(reply)) visitor.cookie = keptOf(text)
    return reply
  }
  const visitor: Visitor = {
    token: null,
    cookie: null,
    send,
    get: (path, headers) => send('GET', path, only(headers)),
    post: (path, body, headers) => send('POST', path, { body, ...only(headers) }),
    patch: (path, body, headers) => send('PATCH', path, { body, ...only(headers) }),
    delete: (path, headers) => send('DELETE', path, only(headers)),
  }
  return visitor
}

const only = (headers: SendOptions['headers']): SendOptions => (headers === undefined ? {} : { headers })

/** The texts of the `Set-Cookie` headers of an answer. */
export function cookiesOf({ headers }: { headers: Record<string, unknown> }): string[] {
  return (headers['set-cookie'] as string[] | undefined) ?? []
}

function keptOf(text: string): string | null {
  const [pair = '', ...attributes] = text.split('; ')
  return attributes.includes('Max-Age=0') ? null : pair
}

/** Signs the visitor up, who is signed in from then on. */
export async function signUpAs(visitor: Visitor, fields: Record<string, unknown>): Promise<SignedUp> {
  const body = { password: PASSWORD, ...fields }
  const reply = await visitor.post('/sign_up', body)
  assert.equal(reply.status, 201, reply.text)
  return Object.assign(visitor, { person: reply.body, password: body.password })
}

/** Signs the visitor in as a person who has signed up. */
export async function signInAs(visitor: Visitor, { person, password }: SignedUp): Promise<void> {
  const reply = await visitor.post('/sign_in', { email: person.email, password })
  assert.equal(reply.status, 200, reply.text)
}

/** Who is signed in there; null for nobody. */
export async function whoIs(visitor: Visitor): Promise<Resource | null> {
  const reply = await visitor.get('/session')
  assert.equal(reply.status, 200, reply.text)
  return reply.body.user
}
