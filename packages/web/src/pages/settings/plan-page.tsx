import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { SESSION_KEY, usePerson } from '../../client/session.ts'
import { Meter } from '../../components/meter.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { useLanguage, useTexts } from '../../texts/texts.tsx'

/** The plan, and how much of it is used. */
export function PlanPage() {
  const { plan: texts, pages } = useTexts().settings
  const { plan, api_access } = usePerson()
  const count = useCount()
  useFreshPlan()
  return (
    <Page title={pages.plan} about={texts.about(plan.key)}>
      <Section title={texts.tasks} about={texts.tasksAbout}>
        <Usage label={texts.tasks} used={plan.active_tasks} limit={plan.active_task_limit} />
      </Section>
      <Section title={texts.writes} about={texts.writesAbout}>
        <Usage label={texts.writes} used={plan.writes_today} limit={plan.writes_per_day} />
      </Section>
      <Section title={texts.requests}>
        <ul>
          <li>{texts.requestsPerToken(count(plan.token_per_minute))}</li>
          <li>{texts.requestsPerAccount(count(plan.account_per_minute))}</li>
        </ul>
      </Section>
      <Section title={texts.api}>
        <p>{!plan.api_access ? texts.apiNotIncluded : api_access ? texts.apiIncluded : texts.apiTurnedOff}</p>
      </Section>
    </Page>
  )
}

/** Beyond this share of a limit, the page says that it is nearly reached. */
const NEARLY = 0.9

function Usage({ label, used, limit }: { label: string; used: number; limit: number | null }) {
  const { plan } = useTexts().settings
  const count = useCount()
  if (limit === null) return <p>{plan.noLimit(count(used))}</p>
  const standing = used >= limit ? plan.usedUp : used >= limit * NEARLY ? plan.nearlyUsed : null
  const words = [plan.of(count(used), count(limit)), standing].filter(Boolean).join(' · ')
  return <Meter label={label} value={used} max={limit} words={words} isNearlyFull={standing !== null} />
}

function useCount(): (count: number) => string {
  const language = useLanguage()
  return (count) => count.toLocaleString(language)
}

/** What was used changes all the time: it is asked anew when the page is opened. */
function useFreshPlan(): void {
  const client = useQueryClient()
  useEffect(() => void client.invalidateQueries({ queryKey: SESSION_KEY }), [client])
}
