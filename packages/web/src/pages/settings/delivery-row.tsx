import type { Attempt, DeliveryState } from '@fivetab/domain/delivery.ts'
import { TEST_EVENT } from '@fivetab/domain/event.ts'
import { useQueryClient } from '@tanstack/react-query'
import { WEBHOOKS_KEY } from '../../board/board-context.tsx'
import { ask } from '../../client/http.ts'
import { useRequest } from '../../client/request.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { FormActions } from '../../components/form.tsx'
import { tell, useTold } from '../../components/told.ts'
import { When } from '../../components/when.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './delivery-row.module.css'
import type { DeliveryWire } from './webhooks.ts'

const LOOKS = { pending: 'info', succeeded: 'good', failed: 'danger' } as const satisfies Record<DeliveryState, string>

/** One event on its way to the webhook; opened, every attempt that was made. */
export function DeliveryRow({ delivery }: { delivery: DeliveryWire }) {
  const { webhooks: texts } = useTexts().settings
  return (
    <li className={styles.delivery}>
      <details>
        <summary className={styles.summary}>
          <span className={styles.type}>{delivery.event_type === TEST_EVENT ? texts.testEvent : <code>{delivery.event_type}</code>}</span>
          <Badge look={LOOKS[delivery.state]}>{texts.states[delivery.state]}</Badge>
          <span className={styles.when}>
            <When at={delivery.created_at} />
          </span>
        </summary>
        <div className={styles.inside}>
          <Facts>
            {delivery.sequence !== null && <Fact name={texts.place}>{texts.sequence(delivery.sequence)}</Fact>}
            <Fact name={texts.tries}>{delivery.attempts.length}</Fact>
            {delivery.next_attempt_at !== null && (
              <Fact name={texts.nextAttempt}>
                <When at={delivery.next_attempt_at} />
              </Fact>
            )}
          </Facts>
          <ol className={styles.attempts}>
            {delivery.attempts.map((attempt, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: attempts are only ever added at the end
              <AttemptRow key={index} attempt={attempt} number={index + 1} />
            ))}
          </ol>
          <Sent event={delivery.event} />
          <Redelivering delivery={delivery} />
        </div>
      </details>
    </li>
  )
}

function AttemptRow({ attempt, number }: { attempt: Attempt; number: number }) {
  const { webhooks: texts } = useTexts().settings
  const { response, error } = attempt
  return (
    <li className={styles.attempt}>
      <p className={styles.outcome}>
        <span className={styles.number}>{texts.attempt(number)}</span>
        <span>{response === null ? texts.noAnswer : texts.status(response.status)}</span>
        <span className={styles.soft}>
          <When at={attempt.attempted_at} /> · {texts.took(attempt.duration_ms)}
        </span>
      </p>
      {error !== null && <p className={styles.error}>{error}</p>}
      {response !== null && response.body !== '' && (
        <details>
          <summary className={styles.more}>{texts.answer}</summary>
          <Body label={texts.answer} text={response.body} />
        </details>
      )}
    </li>
  )
}

function Sent({ event }: { event: object | null }) {
  const { webhooks: texts } = useTexts().settings
  if (event === null) return <p className={styles.soft}>{texts.eventGone}</p>
  return (
    <details>
      <summary className={styles.more}>{texts.sent}</summary>
      <Body label={texts.sent} text={JSON.stringify(event, null, 2)} />
    </details>
  )
}

/** What may be long, in a frame that is scrolled by keys as well. */
function Body({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: nobody could scroll it by keys otherwise
    <section aria-label={label} tabIndex={0} className={styles.body}>
      <pre>{text}</pre>
    </section>
  )
}

function Redelivering({ delivery }: { delivery: DeliveryWire }) {
  const { webhooks: texts } = useTexts().settings
  const client = useQueryClient()
  const { tellFailure } = useTold()
  const send = useRequest(
    () => ask<DeliveryWire>('POST', `/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}/redeliver`),
    async () => {
      tell(texts.redelivered)
      await client.invalidateQueries({ queryKey: [...WEBHOOKS_KEY, delivery.webhook_id] })
    },
  )
  // What is no longer kept cannot be sent again.
  if (delivery.event === null) return null
  return (
    <FormActions>
      <Button
        icon="restore"
        aria-label={texts.redeliverNamed(delivery.event_type)}
        isBusy={send.isPending}
        onClick={() => send.mutate(undefined, { onError: tellFailure })}
      >
        {texts.redeliver}
      </Button>
    </FormActions>
  )
}
