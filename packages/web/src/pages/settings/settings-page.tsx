import type { ComponentType } from 'react'
import { Link } from 'wouter'
import { useTexts } from '../../texts/texts.tsx'
import NotFoundPage from '../not-found-page.tsx'
import { AccountPage } from './account-page.tsx'
import { ApiPage } from './api-page.tsx'
import { PlanPage } from './plan-page.tsx'
import { SessionsPage } from './sessions-page.tsx'
import styles from './settings-page.module.css'
import { TabsPage } from './tabs-page.tsx'
import { WebhooksPage } from './webhooks-page.tsx'

const PAGES = {
  account: AccountPage,
  api: ApiPage,
  tabs: TabsPage,
  plan: PlanPage,
  webhooks: WebhooksPage,
  sessions: SessionsPage,
} as const satisfies Record<string, ComponentType>

type PageName = keyof typeof PAGES

const PAGE_NAMES = Object.keys(PAGES) as PageName[]

/** The account's settings: pages with a navigation of their own. */
export default function SettingsPage({ page }: { page: string }) {
  const { settings } = useTexts()
  const name = PAGE_NAMES.find((one) => one === page)
  if (name === undefined) return <NotFoundPage />
  const Shown = PAGES[name]
  return (
    <div className={styles.settings}>
      <nav aria-label={settings.navigation} className={styles.navigation}>
        <ul className={styles.pages}>
          {PAGE_NAMES.map((one) => (
            <li key={one}>
              <Link href={`/settings/${one}`} className={styles.link ?? ''} aria-current={one === name ? 'page' : undefined}>
                {settings.pages[one]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles.page}>
        <Shown key={name} />
      </div>
    </div>
  )
}
