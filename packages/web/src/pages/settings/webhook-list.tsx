import type { CreateWebhook, WebhookWire, WebhookWithSecretWire } from '@fivetab/domain/webhook.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { WEBHOOKS_KEY } from '../../board/board-context.tsx'
import { ask } from '../../client/http.ts'
import { usePages, useRequest } from '../../client/request.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { focusWhenLost } from '../../components/focus.ts'
import { FormActions } from '../../components/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Section } from '../../components/section.tsx'
import { ShownOnce } from '../../components/shown-once.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './rows.module.css'
import { useOnceKey } from './use-once-key.ts'
import { WebhookForm } from './webhook-form.tsx'
import { creationOf, NEW_WEBHOOK } from './webhooks.ts'

export function WebhookList() {
  const { common, settings } = useTexts()
  const { webhooks: texts } = settings
  const list = usePages<WebhookWire>([...WEBHOOKS_KEY, 'list'], '/webhooks?limit=50')
  const [made, setMade] = useState<WebhookWithSecretWire | null>(null)
  return (
    <>
      {made === null ? <NewWebhook onMade={setMade} /> : <Made webhook={made} onDone={() => setMade(null)} />}
      <Section title={texts.list}>
        <Loaded query={list}>
          {(webhooks) => (
            <>
              {webhooks.length === 0 ? (
                <p className={styles.none}>{texts.none}</p>
              ) : (
                <ul className={styles.rows}>
                  {webhooks.map((webhook) => (
                    <WebhookRow key={webhook.id} webhook={webhook} />
                  ))}
                </ul>
              )}
              {list.hasNextPage && (
                <FormActions>
                  <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                    {common.loadMore}
                  </Button>
                </FormActions>
              )}
            </>
          )}
        </Loaded>
      </Section>
    </>
  )
}

function WebhookRow({ webhook }: { webhook: WebhookWire }) {
  const { webhooks: texts } = useTexts().settings
  return (
    <li className={styles.row}>
      <div className={styles.about}>
        <div className={styles.head}>
          <Link href={`/settings/webhooks?webhook=${webhook.id}`} className={styles.name ?? ''}>
            {webhook.url}
          </Link>
          <Badge look={webhook.enabled ? 'good' : 'warning'}>{webhook.enabled ? texts.enabled : texts.disabled}</Badge>
        </div>
        {webhook.description !== null && <p className={styles.words}>{webhook.description}</p>}
        {webhook.disabled_reason !== null && <p className={styles.words}>{texts.disabledReasons[webhook.disabled_reason]}</p>}
        <EventTypes types={webhook.event_types} />
      </div>
    </li>
  )
}

/** The patterns of events that a webhook is told of. */
export function EventTypes({ types }: { types: readonly string[] }) {
  const { webhooks } = useTexts().settings
  return (
    <ul className={styles.scopes} aria-label={webhooks.events}>
      {types.map((type) => (
        <li key={type}>{type === '*' ? webhooks.allEvents : <code>{type}</code>}</li>
      ))}
    </ul>
  )
}

function NewWebhook({ onMade }: { onMade(webhook: WebhookWithSecretWire): void }) {
  const { webhooks: texts } = useTexts().settings
  const client = useQueryClient()
  const onceKey = useOnceKey()
  const [isOpen, setOpen] = useState(false)
  const create = useRequest(
    (body: CreateWebhook) => ask<WebhookWithSecretWire>('POST', '/webhooks', { body, onceKey: onceKey(body) }),
    (webhook) => {
      void client.invalidateQueries({ queryKey: WEBHOOKS_KEY })
      onMade(webhook)
    },
  )
  if (!isOpen) {
    return (
      <FormActions>
        <Button look="main" icon="add" onClick={() => setOpen(true)}>
          {texts.add}
        </Button>
      </FormActions>
    )
  }
  return (
    <Section title={texts.add}>
      <WebhookForm
        first={NEW_WEBHOOK}
        action={texts.create}
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(draft) => create.mutate(creationOf(draft))}
        onCancel={() => {
          setOpen(false)
          focusWhenLost()
        }}
      />
    </Section>
  )
}

function Made({ webhook, onDone }: { webhook: WebhookWithSecretWire; onDone(): void }) {
  const { webhooks: texts } = useTexts().settings
  return (
    <ShownOnce
      title={texts.madeTitle}
      warning={texts.secretWarning}
      label={texts.secret}
      secret={webhook.secret}
      copyLabel={texts.copySecret}
      done={texts.done}
      onDone={() => {
        onDone()
        focusWhenLost()
      }}
    >
      <p>{texts.secretAbout}</p>
    </ShownOnce>
  )
}
