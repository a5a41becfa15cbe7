import type { Dialect } from '../dialect.ts'

/**
 * Webhooks, how far each has come in its account's log, and what was sent to them. Event types are joined by spaces; the attempts of a delivery are
 * JSON. A process that sends to a webhook claims it for a time, so that no other one does. The deliveries of a webhook that is deleted can be many: they
 * stay, where nobody sees them, until their time is over.
 */
export const webhooks = ({ text, inKeyOrder, expect }: Dialect): string[] => [
  `create table webhooks (
    account_id ${text} not null references accounts (id) on delete cascade,
    id ${text} not null,
    url ${text} not null,
    event_types ${text} not null,
    description ${text},
    disabled_reason ${text},
    disabled_at bigint,
    secret ${text} not null,
    previous_secret ${text},
    previous_secret_until bigint,
    created_at bigint not null,
    updated_at bigint not null,
    version bigint not null,
    sent_through bigint not null,
    failing_since bigint,
    claimed_by ${text},
    claimed_until bigint not null,
    primary key (account_id, id)
  )${inKeyOrder}`,
  'create index webhooks_by_id on webhooks (id)',
  `create table deliveries (
    account_id ${text} not null references accounts (id) on delete cascade,
    webhook_id ${text} not null,
    id ${text} not null,
    event_id ${text} not null,
    event_type ${text} not null,
    sequence bigint,
    test_event ${text},
    state ${text} not null,
    next_attempt_at bigint,
    attempts ${text} not null,
    created_at bigint not null,
    primary key (account_id, webhook_id, id)
  )${inKeyOrder}`,
  'create index deliveries_due on deliveries (next_attempt_at) where next_attempt_at is not null',
  'create index deliveries_to_come on deliveries (account_id, webhook_id, next_attempt_at) where next_attempt_at is not null',
  'create index deliveries_by_age on deliveries (created_at)',
  ...expect([
    ['webhooks', 'webhooks', [1_000, 2, 1]],
    ['deliveries', 'deliveries', [1_000_000, 1_000, 500, 1]],
    ['deliveries', 'deliveries_due', [1_000, 1]],
    ['deliveries', 'deliveries_to_come', [100_000, 2_000, 1_000, 1]],
    ['deliveries', 'deliveries_by_age', [1_000_000, 1]],
  ]),
]
