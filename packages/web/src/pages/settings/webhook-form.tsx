import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Choices } from '../../components/choices.tsx'
import { Checkbox, TextArea, TextField } from '../../components/field.tsx'
import { Fieldset } from '../../components/fieldset.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { useProblems } from '../../components/problems.ts'
import { useTexts } from '../../texts/texts.tsx'
import { choosingAll, EVENT_CHOICES, hasKind, hasType, isAll, withKind, withType } from './event-choice.ts'
import styles from './webhook-form.module.css'
import type { WebhookDraft } from './webhooks.ts'

interface WebhookFormProps {
  /** As it is where nothing was typed. */
  first: WebhookDraft
  /** What the button says that sends it. */
  action: string
  isBusy: boolean
  error: unknown
  onSubmit(draft: WebhookDraft): void
  onCancel(): void
}

/** What a webhook is: where it goes, of what it is told, and what it is for. */
export function WebhookForm({ first, action, isBusy, error, onSubmit, onCancel }: WebhookFormProps) {
  const { common, settings } = useTexts()
  const { webhooks: texts } = settings
  const [typed, setTyped] = useState<Partial<WebhookDraft>>({})
  const draft: WebhookDraft = { ...first, ...typed }
  const address = useRef<HTMLInputElement>(null)
  useEffect(() => address.current?.focus(), [])
  const problem = useProblems(error, { 'event_types.too_short': texts.noEvents, '.out_of_range': texts.tooMany })
  const change = (fields: Partial<WebhookDraft>) => setTyped({ ...typed, ...fields })
  return (
    <Form
      onSubmit={() => onSubmit(draft)}
      isBusy={isBusy}
      error={error}
      fields={['url', 'event_types', 'description']}
      failure={problem('')}
    >
      <TextField
        ref={address}
        label={texts.url}
        help={texts.urlHelp}
        type="url"
        inputMode="url"
        autoComplete="off"
        value={draft.url}
        problem={problem('url')}
        onChange={({ target }) => change({ url: target.value })}
      />
      <TextArea
        label={texts.description}
        help={texts.descriptionHelp}
        rows={2}
        value={draft.description}
        problem={problem('description')}
        onChange={({ target }) => change({ description: target.value })}
      />
      <EventChoice chosen={draft.event_types} problem={problem('event_types')} onChoose={(event_types) => change({ event_types })} />
      <FormActions>
        <Button type="submit" look="main" isBusy={isBusy}>
          {action}
        </Button>
        <Button onClick={onCancel}>{common.cancel}</Button>
      </FormActions>
    </Form>
  )
}

interface EventChoiceProps {
  chosen: readonly string[]
  problem: string | undefined
  onChoose(chosen: readonly string[]): void
}

function EventChoice({ chosen, problem, onChoose }: EventChoiceProps) {
  const { webhooks: texts } = useTexts().settings
  return (
    <Fieldset label={texts.events} problem={problem}>
      <Choices
        label={texts.events}
        isLabelUnseen
        value={isAll(chosen) ? 'all' : 'some'}
        choices={[
          { value: 'all', label: texts.allEvents },
          { value: 'some', label: texts.chosenEvents },
        ]}
        onChoose={(choice) => onChoose(choosingAll(choice === 'all'))}
      />
      {!isAll(chosen) && (
        <div className={styles.kinds}>
          {EVENT_CHOICES.map(({ kind, types }) => (
            <div key={kind} className={styles.kind}>
              <Checkbox
                label={texts.everythingOf(texts.kinds[kind])}
                checked={hasKind(chosen, kind)}
                onChange={({ target }) => onChoose(withKind(chosen, kind, target.checked))}
              />
              <div className={styles.types}>
                {types.map((type) => (
                  <Checkbox
                    key={type}
                    label={
                      <>
                        {texts.types[type]} <code className={styles.code}>{type}</code>
                      </>
                    }
                    checked={hasType(chosen, type)}
                    onChange={({ target }) => onChoose(withType(chosen, type, target.checked))}
                  />
                ))}
              </div>
            </div>
          ))}
        </div>
      )}
    </Fieldset>
  )
}
