import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { DAY_MS } from '@fivetab/domain/time.ts'
import type { FastifyReply } from 'fastify'
import type { Api } from './api.ts'
import { hasEmptySegment } from './paths.ts'

/** The web app as it was built: one page, whatever its address, and the files that it loads. All of it is served from here. */

/** The addresses of the app's pages. What each shows is the app's affair. */
const PAGES = [
  '/',
  '/tabs/:disposition',
  '/tasks/:id',
  '/projects',
  '/workflows',
  '/workflows/:id',
  '/archive',
  '/settings',
  '/settings/:page',
  '/sign-in',
  '/sign-up',
  '/reset-password',
]

/** What stands in the page in the place of the nonce. */
const NONCE = '__NONCE__'
const NONCE_BYTES = 16

/** The files that are named after their content, so that one of a name never changes. */
const ASSETS = 'assets'
const ASSETS_MAX_AGE_MS = 365 * DAY_MS

/** Nothing but what is served from here, and no script that stands in a page. Styles that a script puts into the page carry the nonce. */
const policyWith = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Serves the app out of `folder`; where it was not built, its pages say so. */
export async function webAppRoutes(app: Api, folder: string): Promise<void> {
  const pieces = readPage(folder)
  await app.register(async (own: Api) => {
    own.addHook('onRequest', (request, reply, done) => {
      if (request.routeOptions.url !== '/' && hasEmptySegment(request.url)) reply.callNotFound()
      else done()
    })
    for (const url of PAGES) {
      own.get(url, { schema: { hide: true } }, async (_request, reply) => (pieces === null ? sendNotBuilt(reply) : sendPage(reply, pieces)))
    }
    if (pieces !== null) await fileRoutes(own, folder)
  })
}

/** What stands between the nonces of the page; null where there is no page. */
function readPage(folder: string): string[] | null {
  try {
    return readFileSync(join(folder, 'index.html'), 'utf8').split(NONCE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function sendPage(reply: FastifyReply, pieces: readonly string[]): FastifyReply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64')
  return reply
    .headers(PAGE_HEADERS)
    .header('Content-Security-Policy', policyWith(nonce))
    .type('text/html; charset=utf-8')
    .send(pieces.join(nonce))
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply.status(503).type('text/plain; charset=utf-8').send('The app is not built: npm run build\n')
}

async function fileRoutes(files: Api, folder: string): Promise<void> {
  const { default: fastifyStatic } = await import('@fastify/static')
  // What is no name of a file is one of no file.
  files.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    if ((error.statusCode ?? 500) >= 500) throw error
    return reply.callNotFound()
  })
  await files.register(fastifyStatic, {
    root: join(folder, ASSETS),
    prefix: `/${ASSETS}/`,
    index: false,
    dotfiles: 'ignore',
    preCompressed: true,
    maxAge: ASSETS_MAX_AGE_MS,
    immutable: true,
    setHeaders: (reply) => reply.header('X-Content-Type-Options', 'nosniff'),
  })
  for (const name of otherFiles(folder)) {
    files.get(`/${name}`, { schema: { hide: true } }, (_request, reply) => reply.sendFile(name, folder, { maxAge: 0, immutable: false }))
  }
}

/** The files that keep their names from one build to the next, such as icons. */
function otherFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    )
    .filter((name) => name !== 'index.html' && !name.startsWith(`${ASSETS}/`))
}
