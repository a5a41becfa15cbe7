import { Failure } from '@fivetab/domain/failure.ts'

/** What a read gave. @throws Failure `not_found` when it gave nothing; a resource of another account is no different from none */
export function found<T>(what: string, resource: T | undefined): T {
  if (resource === undefined) throw new Failure('not_found', `There is no ${what} with this id.`)
  return resource
}
