import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { aFolder } from './folder.ts'

describe('a run of the tests', () => {
  for (const [name, body, code] of [
    ['fails when one of them does', "throw new Error('wrong')", 1],
    ['passes when all of them do', '', 0],
  ] as const) {
    it(name, () => {
      using folder = aFolder()
      const file = join(folder.path, 'one.test.mjs')
      writeFileSync(file, `import { it } from 'node:test'\nit('one', () => { ${body} })\n`)

      // As npm test does, with a server that is there already: none is started.
      const { NODE_TEST_CONTEXT: _, ...environment } = process.env
      const { status } = spawnSync(process.execPath, ['--test', `--test-global-setup=${join(import.meta.dirname, 'postgres.ts')}`, file], {
        env: { ...environment, TEST_DATABASE_URL: process.env.TEST_DATABASE_URL ?? 'postgres://127.0.0.1:1/none' },
      })

      assert.equal(status, code)
    })
  }
})
