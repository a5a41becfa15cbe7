import type { Scenario } from './scenario.ts'
import { servicesKilled } from './service-kills.ts'

/** Every scenario, in the order in which they are run. */
export const SCENARIOS: readonly Scenario[] = [servicesKilled]
