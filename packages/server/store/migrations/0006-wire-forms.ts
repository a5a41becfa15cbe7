import type { Dialect } from '../dialect.ts'

/**
 * Each task keeps the JSON that it is sent as, of which form that is, and which version of the task it shows. Tasks from before have none: theirs is made
 * when it is read.
 */
export const wireForms = ({ text }: Dialect): string[] => [
  `alter table tasks add column wire ${text}`,
  'alter table tasks add column wire_form integer',
  'alter table tasks add column wire_version bigint',
]
