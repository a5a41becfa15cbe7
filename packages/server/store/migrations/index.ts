import type { Dialect } from '../dialect.ts'
import { foundation } from './0001-foundation.ts'
import { ledgers } from './0002-ledgers.ts'
import { sharedLimits } from './0003-shared-limits.ts'
import { webhooks } from './0004-webhooks.ts'
import { wideRows } from './0005-wide-rows.ts'
import { wireForms } from './0006-wire-forms.ts'
import { people } from './0007-people.ts'

/** Every migration, in order: its place in this list, from 1, is its number. They go forward only, and one that was released is never changed. */
export const MIGRATIONS: readonly { name: string; statements: (dialect: Dialect) => readonly string[] }[] = [
  { name: 'foundation', statements: foundation },
  { name: 'ledgers', statements: ledgers },
  { name: 'shared-limits', statements: sharedLimits },
  { name: 'webhooks', statements: webhooks },
  { name: 'wide-rows', statements: wideRows },
  { name: 'wire-forms', statements: wireForms },
  { name: 'people', statements: people },
]
