import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startService } from '../packages/server/service.ts'
import { readSettings } from '../packages/server/settings.ts'

/** Writes openapi.json: what a running service says of itself, at the default address. */
const dataDir = mkdtempSync(join(tmpdir(), 'fivetab-openapi-'))
const service = await startService(
  readSettings({ DATA_DIR: dataDir, PORT: '0', BASE_URL: 'http://127.0.0.1:3000' }),
  pino({ level: 'silent' }),
)
try {
  const reply = await fetch(`${service.url}/v1/openapi.json`)
  writeFileSync(new URL('../openapi.json', import.meta.url), `${JSON.stringify(await reply.json(), null, 2)}\n`)
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true })
}
