import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** What the development server passes requests on to: a service that runs beside it. */
const SERVICE = 'http://127.0.0.1:3000'

/**
 * What builds a shape and does nothing else. Shapes stand beside the rules that the app asks; it has no use for them, and must not carry a schema library
 * because of them.
 */
const BUILDS_SHAPES = ['Type', 'shape', 'ref', 'text', 'nullable', 'oneOf', 'id', 'date', 'dateTime']

/** Puts a compressed copy beside each file, so that the service has nothing to compress. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir = '' }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|svg|webmanifest)$/.test(name)) continue
        const file = join(dir, name)
        const bytes = readFileSync(file)
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
      }
    },
  }
}

export default defineConfig({
  plugins: [react(), compressed()],
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2023',
    // An asset in the page itself would be one more source that the page's policy has to allow.
    assetsInlineLimit: 0,
    rolldownOptions: {
      treeshake: {
        manualPureFunctions: BUILDS_SHAPES,
        propertyReadSideEffects: false,
        moduleSideEffects: [{ test: /typebox/, sideEffects: false }],
      },
    },
  },
  server: { proxy: Object.fromEntries(['/app', '/v1', '/docs'].map((path) => [path, SERVICE])) },
})
