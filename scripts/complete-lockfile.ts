import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Completes package-lock.json after `npm install` on a registry that does not carry every platform's packages.
 *
 * npm leaves an optional package out of the lockfile when the registry does not have it, and `npm ci` then refuses the lockfile as incomplete.
 * This adds an entry for each one that is missing: version and platform, which is all that `npm ci` needs in order to pass it over.
 */

interface Entry {
  version?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }
const PLATFORM = /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|ia32|ppc64|riscv64|s390x|x64)/

const added: string[] = []
for (const [parent, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`
    const platform = PLATFORM.exec(name)
    if (lock.packages[path] !== undefined || lock.packages[`${parent}/${path}`] !== undefined || platform === null) continue
    lock.packages[path] = {
      version: range.replace(/^[\^~]/, ''),
      cpu: [platform[2] as string],
      ...(dev && { dev }),
      optional: true,
      os: [platform[1] as string],
      ...(name.includes('musl') && { libc: ['musl'] }),
    }
    added.push(name)
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length === 0 ? 'The lockfile is complete.' : `Added ${added.length} packages of other platforms: ${added.join(', ')}`)
