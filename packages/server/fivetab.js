#!/usr/bin/env node
// Plain JavaScript of an old kind on purpose: an old Node cannot read the TypeScript of main.ts, and should say so clearly.
import '../../scripts/require-node.js'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Types are stripped and modules compiled once, and not at every start. A folder that cannot be written to is done without.
module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/fivetab', import.meta.url)))

await import('./main.ts')
