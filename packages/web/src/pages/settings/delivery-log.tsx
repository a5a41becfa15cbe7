import { DELIVERY_STATES, type DeliveryState } from '@fivetab/domain/delivery.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { WEBHOOKS_KEY } from '../../board/board-context.tsx'
import { usePages } from '../../client/request.ts'
import { Button } from '../../components/button.tsx'
import { Choices } from '../../components/choices.tsx'
import { FormActions } from '../../components/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Section } from '../../components/section.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import styles from './rows.module.css'
import { type DeliveryWire, lookAgainIn } from './webhooks.ts'

const ALL = 'all'
const PAGE = 20

/** What was sent to a webhook, newest first; it is followed while it is looked at. */
export function DeliveryLog({ webhookId }: { webhookId: string }) {
  const { common, settings } = useTexts()
  const { webhooks: texts } = settings
  const client = useQueryClient()
  const [state, setState] = useState<DeliveryState | typeof ALL>(ALL)
  const filter = state === ALL ? '' : `&state=${state}`
  const key = [...WEBHOOKS_KEY, webhookId, 'deliveries']
  const path = `/webhooks/${webhookId}/deliveries?sort=-created_at&limit=${PAGE}${filter}`
  const list = usePages<DeliveryWire>([...key, state], path, (data) => lookAgainIn(data, Date.now()))
  return (
    <Section title={texts.log} about={texts.logAbout}>
      <Choices<DeliveryState | typeof ALL>
        label={texts.show}
        value={state}
        choices={[{ value: ALL, label: texts.all }, ...DELIVERY_STATES.map((one) => ({ value: one, label: texts.states[one] }))]}
        onChoose={setState}
      />
      <Loaded query={list}>
        {(deliveries) => (
          <>
            {deliveries.length === 0 ? (
              <p className={styles.none}>{state === ALL ? texts.noDeliveries : texts.noneSuch}</p>
            ) : (
              <ul className={styles.rows}>
                {deliveries.map((delivery) => (
                  <DeliveryRow key={delivery.id} delivery={delivery} />
                ))}
              </ul>
            )}
            <FormActions>
              {list.hasNextPage && (
                <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  {common.loadMore}
                </Button>
              )}
              <Button icon="restore" look="quiet" onClick={() => void client.invalidateQueries({ queryKey: key })}>
                {texts.reload}
              </Button>
            </FormActions>
          </>
        )}
      </Loaded>
    </Section>
  )
}
