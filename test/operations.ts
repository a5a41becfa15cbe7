import assert from 'node:assert/strict'
import { UNKNOWN_ID } from './builders.ts'
import type { World } from './world.ts'

/** The operations of the API, as its own description tells of them. */

export interface Operation {
  /** In capitals. */
  method: string
  /** Below `/v1`, with its parameters in braces. */
  path: string
  operationId: string
  summary: string
  description?: string
  security: { token: string[] }[]
  parameters?: Parameter[]
  requestBody?: { required: boolean }
  responses: Record<string, { description: string; headers: object; content?: object }>
}

interface Parameter {
  name: string
  in: string
  description?: string
  example?: unknown
}

interface Description {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
}

/** Every operation in a description. Asserts that there are any, so that no loop over them is in vain. */
export function operationsIn({ paths }: Description): Operation[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  assert.ok(operations.length > 0)
  return operations
}

/** Every operation in the description that the service serves: all 43 of the contract. */
export async function operationsOf({ anonymous }: World): Promise<Operation[]> {
  const operations = operationsIn((await anonymous.get('/openapi.json')).body)
  assert.equal(operations.length, 43)
  return operations
}

/** A path with `id` for each of its parameters. */
export function filledWith(path: string, id = UNKNOWN_ID): string {
  return path.replace(/\{\w+\}/g, id)
}
