import fastifyCookie from '@fastify/cookie'
import { Failure } from '@fivetab/domain/failure.ts'
import type { FastifyRequest } from 'fastify'
import type { Gate } from '../../actions/gate.ts'
import type { Api } from '../api.ts'
import type { Entrance } from '../caller.ts'
import { archiveRoutes } from './archive.ts'
import { boardRoutes } from './board.ts'
import { tabRoutes } from './dispositions.ts'
import { entranceRoutes } from './entrance.ts'
import { exportRoutes } from './export.ts'
import { requireOwnOrigin, requireSamePerson } from './origin.ts'
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

  app.setErrorHandler((error, _request, reply) => {
    // Of an answer that could not be made after all: the problem document is no file, and is not packed.
    reply.removeHeader('Content-Encoding').removeHeader('Content-Disposition')
    // The turn of an account that is gone speaks of a token, and here there is none.
    throw error instanceof Failure && error.code === 'invalid_token' ? notSignedIn() : error
  })
  const signedInOnly = (isOfTheBoard: boolean) => async (request: FastifyRequest) => {
    if (!(await admitBySession(request, options, cookie.read(request), isOfTheBoard))) throw notSignedIn()
    requireSamePerson(request)
  }

  entranceRoutes(app, options, cookie)
  // No day's writes keep a person from revoking the token that has used them up, or from another password.
  await app.register(async (own: Api) => {
    own.addHook('onRequest', signedInOnly(false))
    peopleRoutes(own, options, cookie)
    sessionRoutes(own, options, cookie)
    tokenRoutes(own, options.random)
    exportRoutes(own, options.clock)
  })
  await app.register(async (board: Api) => {
    board.addHook('onRequest', signedInOnly(true))
    boardRoutes(board)
    archiveRoutes(board)
    tabRoutes(board)
    addResources(board)
  })
}
