import type { TokenWire, TokenWithValueWire } from '@fivetab/domain/token-shape.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useResource } from '../../client/request.ts'
import { usePerson } from '../../client/session.ts'
import { focusWhenLost } from '../../components/focus.ts'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { TOKENS_KEY } from './keys.ts'
import { NewToken } from './new-token.tsx'
import { TokenForm } from './token-form.tsx'
import { TokenList } from './token-list.tsx'

/** When a token was last used is known to the minute or so. */
const LOOK_AGAIN_MS = 30_000

export function ApiPage() {
  const { api, pages } = useTexts().settings
  const { plan, api_access } = usePerson()
  const client = useQueryClient()
  const tokens = useResource<{ data: TokenWire[] }>(TOKENS_KEY, '/tokens', { refetchInterval: LOOK_AGAIN_MS })
  const [made, setMade] = useState<TokenWithValueWire | null>(null)
  const [, navigate] = useLocation()
  const isOpen = plan.api_access && api_access

  function take(token: TokenWithValueWire): void {
    setMade(token)
    // A link that has filled in the form has done so once.
    navigate('/settings/api', { replace: true })
    void client.invalidateQueries({ queryKey: TOKENS_KEY })
  }

  function putAway(): void {
    setMade(null)
    focusWhenLost()
  }

  return (
    <Page
      title={pages.api}
      about={
        <>
          {api.about} <a href="/docs/">{api.docs}</a>
        </>
      }
    >
      {!plan.api_access && <Notice kind="warning">{api.planLacks(plan.key)}</Notice>}
      {!api_access && <Notice kind="warning">{api.turnedOff}</Notice>}
      {made !== null && <NewToken key={made.id} token={made} onDone={putAway} />}
      {isOpen && made === null && <TokenForm onMade={take} />}
      <Section title={api.tokens}>
        <Loaded query={tokens}>{({ data }) => <TokenList tokens={data} />}</Loaded>
      </Section>
    </Page>
  )
}
