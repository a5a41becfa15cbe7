/** What a token may do. Each is explained where tokens are made and in the API's own description. */
export const SCOPES = {
  'tasks:read': 'read tasks and their steps',
  'tasks:write': 'create, update and delete tasks; complete, later, archive, unarchive; add, update and delete steps',
  'projects:read': 'read projects',
  'projects:write': 'create, update and delete projects',
  'workflows:read': 'read Workflows and Statuses',
  'workflows:write': 'create, update and delete Workflows and Statuses',
  'webhooks:manage': 'manage webhook subscriptions, and with them have any event of the account sent',
} as const

export type Scope = keyof typeof SCOPES

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[]

export function isScope(name: string): name is Scope {
  return Object.hasOwn(SCOPES, name)
}
