import { Failure } from './failure.ts'
import { versionToWire } from './shape.ts'

/**
 * What a client says it last saw: null for nothing said, `*` for "whatever it is, as long as it is there", or versions in their wire form
 * (`"7"`, quotes included), one of which has to be the current one. An empty list is never met.
 */
export type Precondition = null | '*' | readonly string[]

export function isMet(precondition: Precondition, version: number): boolean {
  return precondition === null || precondition === '*' || precondition.includes(versionToWire(version))
}

/** @throws Failure `precondition_failed` with the resource as it is now */
export function requireVersion<T extends { version: number }>(
  resource: T,
  precondition: Precondition,
  toWire: (resource: T) => { version: string },
): void {
  if (isMet(precondition, resource.version)) return
  const expected = Array.isArray(precondition) && precondition.length > 0 ? precondition.join(', ') : 'nothing that could match'
  throw new Failure(
    'precondition_failed',
    `The resource is at version ${versionToWire(resource.version)} now, and the request expected ${expected}. Read it again, apply the change to that, and retry.`,
    { current: toWire(resource) },
  )
}
