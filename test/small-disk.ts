import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from './folder.ts'

/** A folder that holds little, part of it taken by ballast: what is written there grows to the rest, and fits well once the ballast is gone. */
export interface SmallDisk extends Disposable {
  path: string
  makeRoom(): void
}

const MIB = 1024 * 1024

/** Mounts a file system in memory, which takes root's rights; null where that cannot be done. */
export function openSmallDisk({ sizeMib, ballastMib }: { sizeMib: number; ballastMib: number }): SmallDisk | null {
  const folder = aFolder()
  const { path } = folder
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const run = (...words: string[]) => {
    const [command, ...rest] = [...asRoot, ...words] as [string, ...string[]]
    return spawnSync(command, rest).status === 0
  }
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${sizeMib}m,mode=0700,uid=${process.getuid?.()}`, 'tmpfs', path)) {
    folder[Symbol.dispose]()
    return null
  }
  const ballast = join(path, 'ballast')
  writeFileSync(ballast, Buffer.alloc(ballastMib * MIB))
  return {
    path,
    makeRoom: () => rmSync(ballast),
    [Symbol.dispose]: () => {
      run('umount', path)
      folder[Symbol.dispose]()
    },
  }
}
