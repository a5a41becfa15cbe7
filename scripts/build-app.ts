import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Builds the web app after an install; leaves that out where what builds it was not installed (`--omit=dev`), as in an image that gets it from elsewhere. */

if (existsSync(new URL('../node_modules/vite', import.meta.url))) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} else {
  console.log(
    'The web app was not built: what builds it is not installed. The service goes without it, or takes the one that is in packages/web/dist.',
  )
}
