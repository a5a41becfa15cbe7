import type { Scope } from '@fivetab/domain/scope.ts'
import { SCOPE_NAMES } from '@fivetab/domain/scope.ts'
import { DAY_MS } from '@fivetab/domain/time.ts'
import type { CreateToken, TokenWithValueWire } from '@fivetab/domain/token-shape.ts'
import { useState } from 'react'
import { ask } from '../../client/http.ts'
import { useRequest } from '../../client/request.ts'
import { usePerson } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox, SelectField, TextField } from '../../components/field.tsx'
import { Fieldset } from '../../components/fieldset.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { useProblems } from '../../components/problems.ts'
import { Section } from '../../components/section.tsx'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import { draftFromLink, LIFETIMES, READ_SCOPES, type TokenDraft, WRITE_SCOPES, withScope } from './tokens.ts'

/** Makes a token of what is chosen, which a link may have filled in beforehand. */
export function TokenForm({ onMade }: { onMade(token: TokenWithValueWire): void }) {
  const { api } = useTexts().settings
  const [linked] = useState(() => draftFromLink(window.location.search))
  const [draft, setDraft] = useState(linked.draft)
  const create = useRequest((body: CreateToken) => ask<TokenWithValueWire>('POST', '/tokens', { body }), onMade)
  const problem = useProblems(create.error, {
    '.out_of_range': api.tooMany,
    'scopes.too_short': api.noScopes,
    'lifetime_days.out_of_range': api.lifetimeProblem,
    'lifetime_days.invalid_type': api.lifetimeProblem,
  })
  const change = (fields: Partial<TokenDraft>) => setDraft({ ...draft, ...fields })

  return (
    <Section title={api.make}>
      {linked.isFilled && (
        <Notice kind="warning">
          <p>{api.fromLink}</p>
          {linked.unknown.length > 0 && <p>{api.unknownScopes(linked.unknown.join(', '))}</p>}
        </Notice>
      )}
      <Form
        onSubmit={() => create.mutate({ name: draft.name, scopes: [...draft.scopes], lifetime_days: daysIn(draft.lifetime) })}
        isBusy={create.isPending}
        error={create.error}
        fields={['name', 'scopes', 'lifetime_days']}
        failure={problem('')}
      >
        <TextField
          label={api.name}
          help={api.nameHelp}
          autoComplete="off"
          value={draft.name}
          problem={problem('name')}
          onChange={({ target }) => change({ name: target.value })}
        />
        <ScopeChoice scopes={draft.scopes} problem={problem('scopes')} onChoose={(scopes) => change({ scopes })} />
        <LifetimeChoice lifetime={draft.lifetime} problem={problem('lifetime_days')} onChoose={(lifetime) => change({ lifetime })} />
        <FormActions>
          <Button type="submit" look="main" icon="key" isBusy={create.isPending}>
            {api.create}
          </Button>
        </FormActions>
      </Form>
    </Section>
  )
}

/** What is no whole number is sent as it is: not a number, which the service refuses. */
function daysIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}

interface ScopeChoiceProps {
  scopes: readonly Scope[]
  problem: string | undefined
  onChoose(scopes: readonly Scope[]): void
}

function ScopeChoice({ scopes, problem, onChoose }: ScopeChoiceProps) {
  const { api } = useTexts().settings
  return (
    <Fieldset label={api.scopes} problem={problem}>
      <FormActions>
        <Button onClick={() => onChoose(READ_SCOPES)}>{api.presetRead}</Button>
        <Button onClick={() => onChoose(WRITE_SCOPES)}>{api.presetWrite}</Button>
        <Button look="quiet" onClick={() => onChoose([])}>
          {api.presetNone}
        </Button>
      </FormActions>
      {SCOPE_NAMES.map((scope) => (
        <Checkbox
          key={scope}
          label={<code>{scope}</code>}
          help={api.scopeWords[scope]}
          checked={scopes.includes(scope)}
          onChange={({ target }) => onChoose(withScope(scopes, scope, target.checked))}
        />
      ))}
    </Fieldset>
  )
}

interface LifetimeChoiceProps {
  lifetime: string
  problem: string | undefined
  onChoose(lifetime: string): void
}

const OTHER = 'other'

function LifetimeChoice({ lifetime, problem, onChoose }: LifetimeChoiceProps) {
  const { api } = useTexts().settings
  const [isOther, setOther] = useState(false)
  const until = useDay(daysIn(lifetime))
  return (
    <>
      <SelectField
        label={api.lifetime}
        help={isOther ? undefined : until && api.worksUntil(until)}
        value={isOther ? OTHER : lifetime}
        onChange={({ target }) => {
          setOther(target.value === OTHER)
          if (target.value !== OTHER) onChoose(target.value)
        }}
      >
        {LIFETIMES.map((days) => (
          <option key={days} value={days}>
            {api.days(Number(days))}
          </option>
        ))}
        <option value={OTHER}>{api.otherLifetime}</option>
      </SelectField>
      {isOther && (
        <TextField
          label={api.lifetimeDays}
          help={`${api.lifetimeHelp} ${until ? api.worksUntil(until) : ''}`}
          type="number"
          min={1}
          max={366}
          step={1}
          inputMode="numeric"
          value={lifetime}
          problem={problem}
          onChange={({ target }) => onChoose(target.value)}
        />
      )}
    </>
  )
}

/** The day that it is in so many days; null where that is no number of days that a token can have. */
function useDay(days: number): string | null {
  const language = useLanguage()
  const { time_zone: timeZone } = usePerson()
  if (!(days >= 1 && days <= 366)) return null
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone }).format(Date.now() + days * DAY_MS)
}
