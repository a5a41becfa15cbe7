import { clockMoved } from './clock.ts'
import { contendedWrites } from './contended-writes.ts'
import { diskFull } from './full-disk.ts'
import { generatedRequests } from './generated-requests.ts'
import { heldAccount } from './held-account.ts'
import { manyDue, manyDueAndKilled } from './mass-waking.ts'
import { likeTheModel } from './model-run.ts'
import { operatorsWord } from './operators-word.ts'
import { paging } from './paging.ts'
import { pollersMissNothing } from './pollers.ts'
import { postgresDead, postgresFrozen } from './postgres-away.ts'
import { postgresKilled } from './postgres-kills.ts'
import type { Scenario } from './scenario.ts'
import { servicesKilled } from './service-kills.ts'
import { sharedLimits } from './shared-limits.ts'
import { stoppedUnderLoad } from './stopping.ts'
import { manyStreams } from './streams.ts'
import { wakingRaces } from './waking-races.ts'
import { deadReceivers } from './webhook-dead-receivers.ts'
import { bothSend } from './webhook-instances.ts'
import { killedWhileSending } from './webhook-kills.ts'

/** Every scenario, in the order in which they are run. */
export const SCENARIOS: readonly Scenario[] = [
  servicesKilled,
  postgresKilled,
  postgresDead,
  postgresFrozen,
  stoppedUnderLoad,
  diskFull,
  clockMoved,
  contendedWrites,
  sharedLimits,
  operatorsWord,
  manyDue,
  manyDueAndKilled,
  wakingRaces,
  heldAccount,
  pollersMissNothing,
  killedWhileSending,
  bothSend,
  deadReceivers,
  paging,
  manyStreams,
  likeTheModel,
  generatedRequests,
]
