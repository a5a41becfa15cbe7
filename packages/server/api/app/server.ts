import fastifyCookie from '@fastify/cookie'
import type { Gate } from '../../actions/gate.ts'
import type { Api } from '../api.ts'
import type { Entrance } from '../caller.ts'
import { archiveRoutes } from './archive.ts'
import { boardRoutes } from './board.ts'
import { tabRoutes } from './dispositions.ts'
import { entranceRoutes } from './entrance.ts'
import { exportRoutes } from './export.ts'
import { requireOwnOrigin } from './origin.ts'
import { peopleRoutes } from './people.ts'
import { admitBySession, notSignedIn, sessionCookie } from './session.ts'
import { sessionRoutes } from './sessions.ts'
import { tokenRoutes } from './tokens.ts'

/** The web app's own entrance: for people with a session, from the app's own pages. It changes with the app, and is no contract. */

export interface AppOptions extends Gate, Entrance {
  /** What links begin with, without a slash at the end. It is asked when a link is written, since a free port is known only then. */
  baseUrl: () => string
}

/** What an answer holds is one person's, and for this page alone. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

/** What every request of the app passes, and the list of routes; `addResources` adds those that the API has too. */
export async function addApp(app: Api, options: AppOptions, addResources: (api: Api) => void): Promise<void> {
  const { baseUrl } = options
  const cookie = sessionCookie(baseUrl)
  app.decorate('apiUrl', () => `${baseUrl()}/app`)
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true }
  })
  await app.register(fastifyCookie)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS)
    requireOwnOrigin(request, baseUrl())
    done()
  })

  entranceRoutes(app, options, cookie)
  await app.register(async (own: Api) => {
    own.addHook('onRequest', async (request) => {
      if (!(await admitBySession(request, options, cookie.read(request)))) throw notSignedIn()
    })
    peopleRoutes(own, options, cookie)
    sessionRoutes(own, options, cookie)
    tokenRoutes(own, options.random)
    boardRoutes(own)
    archiveRoutes(own)
    tabRoutes(own)
    exportRoutes(own, options.clock)
    addResources(own)
  })
}
