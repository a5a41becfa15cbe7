import { MutationCache, notifyManager, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { isPassing, Refused } from './client/http.ts'
import { SESSION_KEY } from './client/session.ts'
import { showTheme } from './client/theme.ts'
import './styles/tokens.css'
import './styles/base.css'
import { TextsProvider } from './texts/texts.tsx'

/** Wiring only. */

const TRIES = 3

/** One who is no longer signed in has to be, before anything else. */
function lookWhoIsSignedIn(error: Error): void {
  if (error instanceof Refused && error.problem.code === 'not_signed_in') void client.invalidateQueries({ queryKey: SESSION_KEY })
}

// What a person does shows before the next paint: a box that is ticked does not spring back for a moment.
notifyManager.setScheduler(queueMicrotask)

const client = new QueryClient({
  queryCache: new QueryCache({ onError: lookWhoIsSignedIn }),
  mutationCache: new MutationCache({ onError: lookWhoIsSignedIn }),
  defaultOptions: {
    // At once, whatever the browser thinks of the network: the service may be on this very machine, and one who is offline is told so instead of waiting.
    queries: { networkMode: 'always', retry: (failures, error) => isPassing(error) && failures < TRIES },
    mutations: { networkMode: 'always' },
  },
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
