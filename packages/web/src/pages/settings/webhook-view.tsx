import type { UpdateWebhook, WebhookWire, WebhookWithSecretWire } from '@fivetab/domain/webhook.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { WEBHOOKS_KEY } from '../../board/board-context.tsx'
import { ask, Refused } from '../../client/http.ts'
import { useRequest, useResource } from '../../client/request.ts'
import { Badge } from '../../components/badge.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { focusWhenLost } from '../../components/focus.ts'
import { Icon } from '../../components/icon.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { ShownOnce } from '../../components/shown-once.tsx'
import { tell } from '../../components/told.ts'
import { When } from '../../components/when.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { EventTypes } from './webhook-list.tsx'
import styles from './webhook-view.module.css'
import { changesOf, draftOf } from './webhooks.ts'

/** One webhook, with what was delivered to it. */
export function WebhookView({ id }: { id: string }) {
  const { webhooks: texts } = useTexts().settings
  const webhook = useResource<WebhookWire>([...WEBHOOKS_KEY, id], `/webhooks/${encodeURIComponent(id)}`)
  const [rotated, setRotated] = useState<WebhookWithSecretWire | null>(null)
  const isGone = webhook.error instanceof Refused && webhook.error.problem.status < 500
  return (
    <Page
      title={texts.one}
      above={
        <Link href="/settings/webhooks" className={styles.back ?? ''}>
          <Icon name="back" size={18} />
          {texts.back}
        </Link>
      }
    >
      {rotated !== null && (
        <Rotated
          webhook={rotated}
          onDone={() => {
            setRotated(null)
            focusWhenLost()
          }}
        />
      )}
      {isGone && webhook.data === undefined ? (
        <Notice kind="warning">{texts.gone}</Notice>
      ) : (
        <Loaded query={webhook}>
          {(data) => (
            <>
              <About webhook={data} onRotated={setRotated} />
              <DeliveryLog webhookId={data.id} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

function About({ webhook, onRotated }: { webhook: WebhookWire; onRotated(webhook: WebhookWithSecretWire): void }) {
  const { webhooks: texts } = useTexts().settings
  const [isEdited, setEdited] = useState(false)
  const close = () => {
    setEdited(false)
    focusWhenLost()
  }
  return (
    <Section
      title={webhook.url}
      actions={<Badge look={webhook.enabled ? 'good' : 'warning'}>{webhook.enabled ? texts.enabled : texts.disabled}</Badge>}
    >
      {webhook.disabled_reason !== null && (
        <Notice kind="warning">
          {texts.disabledReasons[webhook.disabled_reason]}
          {webhook.disabled_at !== null && (
            <>
              {' '}
              {texts.since} <When at={webhook.disabled_at} />.
            </>
          )}
        </Notice>
      )}
      {isEdited ? (
        <Editing webhook={webhook} onDone={close} />
      ) : (
        <>
          {webhook.description !== null && <p className={styles.description}>{webhook.description}</p>}
          <EventTypes types={webhook.event_types} />
          <Facts>
            <Fact name={texts.made}>
              <When at={webhook.created_at} />
            </Fact>
            {webhook.previous_secret_expires_at !== null && Date.parse(webhook.previous_secret_expires_at) > Date.now() && (
              <Fact name={texts.previousSecret}>
                <When at={webhook.previous_secret_expires_at} />
              </Fact>
            )}
          </Facts>
          <WebhookActions webhook={webhook} onEdit={() => setEdited(true)} onRotated={onRotated} />
        </>
      )}
    </Section>
  )
}

/** Only what was changed is sent, and only while the webhook is as it is seen here; what was not touched follows what happens elsewhere. */
function Editing({ webhook, onDone }: { webhook: WebhookWire; onDone(): void }) {
  const { common, settings } = useTexts()
  const { webhooks: texts } = settings
  const client = useQueryClient()
  const again = () => client.invalidateQueries({ queryKey: WEBHOOKS_KEY })
  const [seen] = useState(webhook.version)
  const save = useRequest(
    (body: UpdateWebhook) => ask<WebhookWire>('PATCH', `/webhooks/${webhook.id}`, { body, ifMatch: webhook.version }),
    (stored) => {
      client.setQueryData([...WEBHOOKS_KEY, webhook.id], stored)
      void again()
      tell(texts.saved)
      onDone()
    },
  )
  const isElsewhere = save.error instanceof Refused && save.error.problem.code === 'precondition_failed'
  return (
    <>
      <div role="alert">{webhook.version !== seen && <Notice kind="warning">{texts.changedElsewhere}</Notice>}</div>
      <WebhookForm
        first={draftOf(webhook)}
        action={common.save}
        isBusy={save.isPending}
        error={isElsewhere ? null : save.error}
        onSubmit={(draft) => save.mutate(changesOf(webhook, draft), { onError: () => void again() })}
        onCancel={onDone}
      />
    </>
  )
}

function Rotated({ webhook, onDone }: { webhook: WebhookWithSecretWire; onDone(): void }) {
  const { webhooks: texts } = useTexts().settings
  return (
    <ShownOnce
      title={texts.rotatedTitle}
      warning={texts.secretWarning}
      label={texts.secret}
      secret={webhook.secret}
      copyLabel={texts.copySecret}
      done={texts.done}
      onDone={onDone}
    >
      {webhook.previous_secret_expires_at !== null && (
        <p>
          {texts.previousSecret} <When at={webhook.previous_secret_expires_at} />.
        </p>
      )}
    </ShownOnce>
  )
}
