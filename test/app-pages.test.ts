import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { aFolder } from './folder.ts'
import { assertInvalid, assertProblem, ENGINES, openWorld, type WorldOptions } from './world.ts'

const PAGES = [
  '/',
  '/tabs/in_progress',
  '/tasks/019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20',
  '/projects',
  '/workflows',
  '/workflows/019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a20',
  '/archive',
  '/settings',
  '/settings/api?name=script&scopes=tasks:read',
  '/sign-in',
  '/sign-up',
  '/reset-password',
]

const SCRIPT = 'console.log("Fivetab")\n'

const FILES: Record<string, string | Buffer> = {
  'index.html': '<!doctype html><script nonce="__NONCE__" src="/assets/main-x1.js"></script><meta content="__NONCE__">',
  'manifest.webmanifest': '{"name":"Fivetab"}',
  'manifest.webmanifest.gz': gzipSync('{"name":"Fivetab"}'),
  'icons/icon.svg': '<svg/>',
  'assets/main-x1.js': SCRIPT,
  'assets/main-x1.js.gz': gzipSync(SCRIPT),
  'assets/main-x1.js.br': brotliCompressSync(SCRIPT),
  'assets/plain-x2.css': 'a {}',
}

/** A world with an app as a build leaves it. */
async function withApp(engine: Parameters<typeof openWorld>[0], options: WorldOptions = {}) {
  const folder = aFolder()
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true })
    writeFileSync(join(folder.path, name), content)
  }
  const world = await openWorld(engine, { ...options, webApp: folder.path })
  return {
    world,
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

for (const engine of ENGINES) {
  describe(`the pages of the app (${engine})`, () => {
    it('are one, whatever the address, and kept by nobody without asking', async () => {
      await using scene = await withApp(engine)

      for (const path of PAGES) {
        const { status, headers, text } = await scene.world.anonymous.get(`/${path}`)
        assert.deepEqual([status, headers['content-type'], headers['cache-control']], [200, 'text/html; charset=utf-8', 'no-cache'], path)
        assert.match(text, /^<!doctype html><script nonce="[\w+/]{22}==" src="\/assets\/main-x1\.js">/)
      }
    })

    it('let in nothing from outside and no script in the page, by a nonce that is new each time', async () => {
      await using scene = await withApp(engine)
      const { anonymous } = scene.world

      const [first, second] = [await anonymous.get('//'), await anonymous.get('//')]

      const nonces = [first, second].map(({ text, headers }) => {
        const nonce = /nonce="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text)
        assert.ok(text.endsWith(`<meta content="${nonce}">`))
        assert.equal(
          headers['content-security-policy'],
          `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
        )
        return nonce
      })
      assert.notEqual(nonces[0], nonces[1])
      const { headers } = first
      assert.deepEqual(
        [headers['x-content-type-options'], headers['referrer-policy'], headers['cross-origin-opener-policy']],
        ['nosniff', 'no-referrer', 'same-origin'],
      )
      assert.match(headers['permissions-policy'] ?? '', /geolocation=\(\)/)
    })

    it('say in plain words that the app is not built, and the API works', async () => {
      await using world = await openWorld(engine)

      for (const path of PAGES) {
        const { status, headers, text } = await world.anonymous.get(`/${path}`)
        assert.deepEqual([status, headers['content-type']], [503, 'text/plain; charset=utf-8'], path)
        assert.equal(text, 'The app is not built: npm run build\n')
      }
      assert.equal((await world.api.get('/me')).status, 200)
      assertProblem(await world.anonymous.get('//assets/main-x1.js'), 404, 'not_found')
    })

    it('are no other addresses than these', async () => {
      await using scene = await withApp(engine)
      const { anonymous } = scene.world

      for (const path of ['/index.html', '/tabs', '/tabs/', '/sign_in', '/settings/api/new', '//', '/Projects', '/nowhere']) {
        assertProblem(await anonymous.get(`/${path}`), 404, 'not_found')
      }
      const reply = await anonymous.post('//projects', {})
      assertProblem(reply, 404, 'not_found')
      assert.equal(reply.headers.allow, 'GET, HEAD')
    })

    it('refuse a token in the URL', async () => {
      await using scene = await withApp(engine)

      assertInvalid(await scene.world.anonymous.get(`//settings?token=${scene.world.api.token}`), ['query', '', 'invalid_value'])
    })
  })

  describe(`the files of the app (${engine})`, () => {
    it('are kept for good where their names tell of their content', async () => {
      await using scene = await withApp(engine)

      const { status, headers, text } = await scene.world.anonymous.get('//assets/main-x1.js')

      assert.deepEqual([status, text], [200, SCRIPT])
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.match(headers['content-type'] ?? '', /^(text|application)\/javascript/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
    })

    it('come packed as the browser can unpack them', async () => {
      await using scene = await withApp(engine)
      const load = async (name: string, encoding: string) => {
        const reply = await fetch(`${scene.world.service.url}/${name}`, { headers: { 'accept-encoding': encoding } })
        return [reply.status, reply.headers.get('content-encoding'), reply.headers.get('vary'), await reply.text()]
      }

      assert.deepEqual(await load('assets/main-x1.js', 'gzip, br'), [200, 'br', 'accept-encoding', SCRIPT])
      assert.deepEqual(await load('assets/main-x1.js', 'gzip'), [200, 'gzip', 'accept-encoding', SCRIPT])
      assert.deepEqual(await load('assets/plain-x2.css', 'gzip, br'), [200, null, 'accept-encoding', 'a {}'])
      assert.deepEqual(await load('manifest.webmanifest', 'gzip, br'), [200, 'gzip', 'accept-encoding', FILES['manifest.webmanifest']])
    })

    it('of one name are asked for anew, and not sent again when they are known', async () => {
      await using scene = await withApp(engine)
      const { anonymous } = scene.world

      for (const [path, type] of [
        ['//manifest.webmanifest', /^application\/manifest\+json/],
        ['//icons/icon.svg', /^image\/svg\+xml/],
      ] as const) {
        const { status, headers } = await anonymous.get(path)
        assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=0'])
        assert.match(headers['content-type'] ?? '', type)
        assert.equal((await anonymous.get(path, { 'if-none-match': headers.etag as string })).status, 304)
      }
    })

    it('are those of the build, and whatever else is asked for is 404', async () => {
      await using scene = await withApp(engine)

      for (const path of [
        '/assets/none.js',
        '/assets/',
        '/assets',
        '/assets//main-x1.js',
        '/assets/../index.html',
        '/assets/%2e%2e/index.html',
        '/assets/..%2findex.html',
        '/assets/%00',
        '/assets/.env',
        '/icons/',
        '/icons/none.svg',
        '/manifest.webmanifest.gz',
        `/assets/${'x'.repeat(5_000)}`,
      ]) {
        assertProblem(await scene.world.anonymous.get(`/${path}`), 404, 'not_found')
      }
    })
  })
}
