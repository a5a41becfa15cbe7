import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { isPassing } from './client/http.ts'
import { showTheme } from './client/theme.ts'
import './styles/tokens.css'
import './styles/base.css'
import { TextsProvider } from './texts/texts.tsx'

/** Wiring only. */

const TRIES = 3

const client = new QueryClient({
  defaultOptions: { queries: { retry: (failures, error) => isPassing(error) && failures < TRIES } },
})

/** A page of a build that is no longer there, after an upgrade of the service, gets the new one; once, lest it goes round and round. */
const RELOADED_AT = 'fivetab.reloaded'
const RELOADING_PAUSE_MS = 60_000

window.addEventListener('vite:preloadError', (event) => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOADING_PAUSE_MS) return
  event.preventDefault()
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  window.location.reload()
})

showTheme()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <TextsProvider>
        <App />
      </TextsProvider>
    </QueryClientProvider>
  </StrictMode>,
)
