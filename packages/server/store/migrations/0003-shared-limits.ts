import type { Dialect } from '../dialect.ts'

/** Where several instances count requests together (`shared-counts.ts`); its columns are those of rate-limiter-flexible. It may be lost at any time. */
export const sharedLimits = ({ isShared }: Dialect): string[] =>
  isShared ? ['create unlogged table shared_counts (key varchar(255) primary key, points integer not null default 0, expire bigint)'] : []
