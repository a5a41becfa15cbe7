import { useEffect, useRef, useState } from 'react'
import { clockTime } from '../../board/when.ts'
import { usePerson, usePersonRequest } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { useProblems } from '../../components/problems.ts'
import { Section } from '../../components/section.tsx'
import { tell } from '../../components/told.ts'
import { useLanguage, useTexts } from '../../texts/texts.tsx'
import { zoneGroups } from './time-zones.ts'

interface Profile {
  name: string | null
  time_zone: string
}

export function ProfileForm() {
  const { settings, common } = useTexts()
  const texts = settings.account
  const person = usePerson()
  const [draft, setDraft] = useState<Partial<Profile>>({})
  const { name, time_zone }: Profile = { ...person, ...draft }
  const save = usePersonRequest<Partial<Profile>>('PATCH', '/me')
  const problem = useProblems(save.error)

  function submit(): void {
    save.mutate(draft, {
      onSuccess: () => {
        setDraft({})
        tell(texts.profileSaved)
      },
    })
  }

  return (
    <Section title={texts.profile}>
      <Form onSubmit={submit} isBusy={save.isPending} error={save.error} fields={['name', 'time_zone']}>
        <TextField
          label={texts.name}
          help={texts.nameHelp}
          autoComplete="name"
          value={name ?? ''}
          problem={problem('name')}
          onChange={({ target }) => setDraft({ ...draft, name: target.value })}
        />
        <ZoneField value={time_zone} problem={problem('time_zone')} onChoose={(zone) => setDraft({ ...draft, time_zone: zone })} />
        <FormActions>
          <Button type="submit" look="main" isBusy={save.isPending}>
            {common.save}
          </Button>
        </FormActions>
      </Form>
    </Section>
  )
}

interface ZoneFieldProps {
  value: string
  problem: string | undefined
  onChoose(zone: string): void
}

function ZoneField({ value, problem, onChoose }: ZoneFieldProps) {
  const { account } = useTexts().settings
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const time = useClock(value)
  const select = useRef<HTMLSelectElement>(null)
  const [groups] = useState(() => zoneGroups(Intl.supportedValuesOf('timeZone'), value))
  return (
    <>
      <SelectField
        ref={select}
        label={account.timeZone}
        help={account.timeZoneHelp(time)}
        value={value}
        problem={problem}
        onChange={({ target }) => onChoose(target.value)}
      >
        {groups.map(({ area, zones }) => (
          <ZoneOptions key={area} area={area} zones={zones} />
        ))}
      </SelectField>
      {here !== value && (
        <FormActions>
          <Button
            onClick={() => {
              onChoose(here)
              // The button goes; what it has done is seen there.
              select.current?.focus()
            }}
          >
            {account.zoneOfBrowser(here)}
          </Button>
        </FormActions>
      )}
    </>
  )
}

function ZoneOptions({ area, zones }: { area: string; zones: readonly { name: string; place: string }[] }) {
  const options = zones.map(({ name, place }) => (
    <option key={name} value={name}>
      {place}
    </option>
  ))
  return area === '' ? options : <optgroup label={area}>{options}</optgroup>
}

const CLOCK_MS = 5_000

/** What clocks in a time zone show now. */
function useClock(timeZone: string): string {
  const language = useLanguage()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), CLOCK_MS)
    return () => clearInterval(timer)
  }, [])
  return clockTime(now, { language, timeZone })
}
