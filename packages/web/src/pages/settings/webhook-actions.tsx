import type { WebhookWire, WebhookWithSecretWire } from '@fivetab/domain/webhook.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { WEBHOOKS_KEY } from '../../board/board-context.tsx'
import { ask, Refused } from '../../client/http.ts'
import { useRequest } from '../../client/request.ts'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { focusWhenLost } from '../../components/focus.ts'
import { FormActions } from '../../components/form.tsx'
import { tell, useTold } from '../../components/told.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { DeliveryWire } from './webhooks.ts'

interface WebhookActionsProps {
  webhook: WebhookWire
  onEdit(): void
  onRotated(webhook: WebhookWithSecretWire): void
}

/** What can be done with a webhook. */
export function WebhookActions({ webhook, onEdit, onRotated }: WebhookActionsProps) {
  const { webhooks: texts } = useTexts().settings
  const { tellFailure } = useTold()
  const again = useLookAgain()
  const test = useRequest(
    () => ask<DeliveryWire>('POST', `/webhooks/${webhook.id}/test`),
    async () => {
      tell(texts.tested)
      await again()
    },
  )
  return (
    <FormActions>
      <Button icon="edit" onClick={onEdit}>
        {texts.edit}
      </Button>
      <Button icon="webhook" isBusy={test.isPending} onClick={() => test.mutate(undefined, { onError: tellFailure })}>
        {texts.test}
      </Button>
      <Switching webhook={webhook} />
      <Rotating webhook={webhook} onRotated={onRotated} />
      <Removing webhook={webhook} />
    </FormActions>
  )
}

function useLookAgain(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: WEBHOOKS_KEY })
}

function Switching({ webhook }: { webhook: WebhookWire }) {
  const { webhooks: texts } = useTexts().settings
  const { tellFailure } = useTold()
  const again = useLookAgain()
  const change = useRequest(
    (enabled: boolean) => ask<WebhookWire>('PATCH', `/webhooks/${webhook.id}`, { body: { enabled } }),
    async ({ enabled }) => {
      await again()
      tell(enabled ? texts.enabledNow : texts.disabledNow)
    },
  )
  // What the operator has turned off is the operator's to turn on.
  if (webhook.disabled_reason === 'operator') return null
  return (
    <Button isBusy={change.isPending} onClick={() => change.mutate(!webhook.enabled, { onError: tellFailure })}>
      {webhook.enabled ? texts.disable : texts.enable}
    </Button>
  )
}

function Rotating({ webhook, onRotated }: Omit<WebhookActionsProps, 'onEdit'>) {
  const { webhooks: texts } = useTexts().settings
  const { tellFailure } = useTold()
  const again = useLookAgain()
  const [isAsked, setAsked] = useState(false)
  const rotate = useRequest(
    () => ask<WebhookWithSecretWire>('POST', `/webhooks/${webhook.id}/rotate_secret`),
    (withSecret) => {
      setAsked(false)
      onRotated(withSecret)
      void again()
    },
  )
  return (
    <>
      <Button icon="key" onClick={() => setAsked(true)}>
        {texts.rotate}
      </Button>
      {isAsked && (
        <Confirm
          title={texts.rotateTitle}
          action={texts.rotate}
          isBusy={rotate.isPending}
          onConfirm={() => rotate.mutate(undefined, { onError: tellFailure })}
          onClose={() => setAsked(false)}
        >
          <p>{texts.rotateAbout}</p>
        </Confirm>
      )}
    </>
  )
}

function Removing({ webhook }: { webhook: WebhookWire }) {
  const { webhooks: texts } = useTexts().settings
  const { tellFailure } = useTold()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const [isAsked, setAsked] = useState(false)
  const remove = useRequest(
    () => deleteWebhook(webhook.id),
    () => {
      setAsked(false)
      tell(texts.removed)
      navigate('/settings/webhooks')
      client.removeQueries({ queryKey: [...WEBHOOKS_KEY, webhook.id] })
      void client.invalidateQueries({ queryKey: [...WEBHOOKS_KEY, 'list'] })
      focusWhenLost()
    },
  )
  return (
    <>
      <Button icon="delete" onClick={() => setAsked(true)}>
        {texts.remove}
      </Button>
      {isAsked && (
        <Confirm
          title={texts.removeTitle}
          action={texts.remove}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(undefined, { onError: tellFailure })}
          onClose={() => setAsked(false)}
        >
          <p>{texts.removeAbout(webhook.url)}</p>
        </Confirm>
      )}
    </>
  )
}

/** One that is gone already is what was wanted. */
async function deleteWebhook(id: string): Promise<void> {
  try {
    await ask('DELETE', `/webhooks/${id}`)
  } catch (error) {
    if (!(error instanceof Refused && error.problem.code === 'not_found')) throw error
  }
}
