import type { Disposition, UpdateDisposition } from '@fivetab/domain/disposition.ts'
import { readLine } from '@fivetab/domain/text.ts'
import { type CSSProperties, useRef, useState } from 'react'
import { useChange } from '../../board/board-context.tsx'
import { changeTab, firstTab } from '../../board/tab-changes.ts'
import { type Tab, useTabs } from '../../board/tabs.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { tell } from '../../components/told.ts'
import type { Texts } from '../../texts/en.ts'
import { useTexts } from '../../texts/texts.tsx'
import look from '../board/tabs.module.css'
import { ColorChoice } from './color-choice.tsx'
import styles from './tabs-page.module.css'

const MAX_LABEL = 40

/** What is not saved yet, tab by tab; null is back to how it was at first. */
type Drafts = Partial<Record<Disposition, UpdateDisposition>>

/** The labels and colours of the five tabs. */
export function TabsPage() {
  const texts = useTexts()
  const { tabs: words } = texts.settings
  const change = useChange()
  const stored = useTabs()
  const [drafts, setDrafts] = useState<Drafts>({})
  const tabs = stored.map((tab) => drawn(tab, drafts[tab.key], texts))
  const problems = new Map(tabs.filter(({ name }) => !isLabel(name)).map(({ key }) => [key, words.problem]))
  const alter = (key: Disposition, fields: UpdateDisposition) =>
    setDrafts((before) => ({ ...before, [key]: { ...before[key], ...fields } }))

  async function save(): Promise<void> {
    const changed = tabs.flatMap(({ key }) => (drafts[key] === undefined ? [] : [{ key, fields: drafts[key] }]))
    // They show at once; what could not be stored is to be typed nobody a second time.
    setDrafts({})
    const done = await Promise.all(changed.map(({ key, fields }) => change(changeTab(key, fields))))
    const failed = changed.filter((_, index) => !done[index])
    setDrafts((since) => ({ ...Object.fromEntries(failed.map(({ key, fields }) => [key, fields])), ...since }))
    if (failed.length === 0) tell(words.saved)
  }

  return (
    <Page title={texts.settings.pages.tabs} about={words.about}>
      <Section title={words.preview}>
        <Preview tabs={tabs} />
      </Section>
      <Form onSubmit={() => void save()} isBusy={false} isRefused={problems.size > 0} error={null} fields={[]}>
        <div className={styles.tabs}>
          {tabs.map((tab) => (
            <TabSection key={tab.key} tab={tab} problem={problems.get(tab.key)} onChange={(fields) => alter(tab.key, fields)} />
          ))}
        </div>
        <div className={styles.actions}>
          <FormActions>
            <Button type="submit" look="main">
              {words.save}
            </Button>
            {Object.keys(drafts).length > 0 && <Button onClick={() => setDrafts({})}>{words.discard}</Button>}
          </FormActions>
        </div>
      </Form>
    </Page>
  )
}

function isLabel(name: string): boolean {
  return readLine('', '', name, MAX_LABEL).problems.length === 0
}

/** A tab as it will be. */
function drawn(tab: Tab, draft: UpdateDisposition | undefined, { dispositions }: Texts): Tab {
  const { label, color } = draft ?? {}
  return {
    key: tab.key,
    name: label === undefined ? tab.name : (label ?? dispositions[tab.key]),
    color: color === undefined ? tab.color : (color ?? firstTab(tab.key).color),
  }
}

/** For the eye alone: whoever hears the page has the names in the fields. */
function Preview({ tabs }: { tabs: readonly Tab[] }) {
  return (
    <div className={styles.preview} aria-hidden="true">
      {tabs.map(({ key, name, color }) => (
        <div key={key} className={`${look.tab} ${styles.tab}`} style={{ '--tab-color': color } as CSSProperties}>
          <span className={look.name}>{name}</span>
        </div>
      ))}
    </div>
  )
}

interface TabSectionProps {
  tab: Tab
  problem: string | undefined
  onChange(fields: UpdateDisposition): void
}

function TabSection({ tab, problem, onChange }: TabSectionProps) {
  const { dispositions, settings } = useTexts()
  const { tabs: words } = settings
  const usual = dispositions[tab.key]
  const name = useRef<HTMLInputElement>(null)
  const isAsAtFirst = tab.name === usual && tab.color === firstTab(tab.key).color

  function reset(): void {
    onChange({ label: null, color: null })
    // The button goes.
    name.current?.focus()
  }

  return (
    <Section
      title={usual}
      actions={
        !isAsAtFirst && (
          <Button look="quiet" icon="restore" aria-label={words.resetNamed(usual)} onClick={reset}>
            {words.reset}
          </Button>
        )
      }
    >
      <TextField
        ref={name}
        label={words.name}
        autoComplete="off"
        value={tab.name}
        problem={problem}
        onChange={({ target }) => onChange({ label: target.value })}
      />
      <ColorChoice label={words.color} value={tab.color} onChoose={(color) => onChange({ color })} />
    </Section>
  )
}
