import { getHeapStatistics } from 'node:v8'
import fastifyUnderPressure from '@fastify/under-pressure'
import { Failure } from '@fivetab/domain/failure.ts'
import type { Api } from './api.ts'

/** A process that runs out of memory loses the requests in it. Before that, new ones are refused for a while. */

const HEAP_SHARE = 0.9
const MEMORY_SHARE = 0.9
const RETRY_AFTER_SECONDS = 5
const SAMPLE_MS = 500

/** The resident memory (bytes) to stay below when no setting says it: most of what the container may use. 0, for no bound, outside of one. */
export function defaultMaxMemoryBytes(): number {
  const limit = process.constrainedMemory()
  // Without a limit the system answers with a number larger than any machine's memory.
  return limit > 0 && limit < 2 ** 50 ? Math.floor(limit * MEMORY_SHARE) : 0
}

/** Refuses requests to `v1` while the process uses more than `maxMemoryBytes` (0 for no such bound), or nearly all of its heap. */
export async function underPressure(v1: Api, maxMemoryBytes: number): Promise<void> {
  await v1.register(fastifyUnderPressure, {
    maxHeapUsedBytes: Math.floor(getHeapStatistics().heap_size_limit * HEAP_SHARE),
    maxRssBytes: maxMemoryBytes,
    sampleInterval: SAMPLE_MS,
    pressureHandler: async () => {
      throw new Failure('unavailable', 'The service has more to do than it can hold just now.', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    },
  })
}
