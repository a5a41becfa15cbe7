import { useSearchParams } from 'wouter'
import { Page } from '../../components/page.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { WebhookList } from './webhook-list.tsx'
import { WebhookView } from './webhook-view.tsx'

/** All webhooks, or the one that the address names: `/settings/webhooks?webhook=<id>`. */
export function WebhooksPage() {
  const { webhooks, pages } = useTexts().settings
  const [parameters] = useSearchParams()
  const id = parameters.get('webhook')
  if (id !== null) return <WebhookView key={id} id={id} />
  return (
    <Page title={pages.webhooks} about={webhooks.about}>
      <WebhookList />
    </Page>
  )
}
