#!/usr/bin/env node
// Plain JavaScript of an old kind on purpose: an old Node cannot read the TypeScript of main.ts, and should say so clearly.
import '../../scripts/require-node.js'

await import('./main.ts')
