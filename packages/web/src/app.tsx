import { lazy, Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { BoardProvider } from './board/board-context.tsx'
import { fetched } from './client/parts.ts'
import { useIsSomebodyElse, useSession } from './client/session.ts'
import { Announcer } from './components/announcer.tsx'
import { Boundary } from './components/boundary.tsx'
import { Button } from './components/button.tsx'
import { Empty, Loading } from './components/notice.tsx'
import { Tellings } from './components/tellings.tsx'
import { BoardPage } from './pages/board/board-page.tsx'
import { Unsettled } from './pages/task/unsettled.tsx'
import { Shell } from './shell/shell.tsx'
import { useTexts } from './texts/texts.tsx'

/** The list of pages, and who sees which. All but the first that is seen are loaded when they are wanted. */

const ProjectsPage = lazy(() => fetched(() => import('./pages/projects/projects-page.tsx')))
const WorkflowsPage = lazy(() => fetched(() => import('./pages/workflows/workflows-page.tsx')))
const WorkflowPage = lazy(() => fetched(() => import('./pages/workflows/workflow-page.tsx')))
const ArchivePage = lazy(() => fetched(() => import('./pages/archive/archive-page.tsx')))
const SettingsPage = lazy(() => fetched(() => import('./pages/settings/settings-page.tsx')))
const SignInPage = lazy(() => fetched(() => import('./pages/sign-in/sign-in-page.tsx')))
const SignUpPage = lazy(() => fetched(() => import('./pages/sign-in/sign-up-page.tsx')))
const ResetPasswordPage = lazy(() => fetched(() => import('./pages/sign-in/reset-password-page.tsx')))
const NotFoundPage = lazy(() => fetched(() => import('./pages/not-found-page.tsx')))

export function App() {
  const texts = useTexts()
  const { data: session, isError, refetch } = useSession()
  const loading = <Loading label={texts.common.loading} />
  const failed = (again: () => void) => <Failed again={again} />
  const isSomebodyElse = useIsSomebodyElse(session?.user)
  if (session === undefined || isSomebodyElse) return isError ? failed(() => void refetch()) : loading
  return (
    <Boundary fallback={<Broken />}>
      <Suspense fallback={loading}>
        <Switch>
          <Route path="/sign-in">{session.user === null ? <SignInPage /> : <Redirect to={afterSignIn()} replace />}</Route>
          <Route path="/sign-up">{session.user === null ? <SignUpPage /> : <Redirect to="/tabs/not_started" replace />}</Route>
          <Route path="/reset-password">
            <ResetPasswordPage />
          </Route>
          <Route>
            {session.user === null ? (
              <Redirect to={signInPath()} replace />
            ) : (
              <BoardProvider loading={loading} failed={failed}>
                <SignedIn />
              </BoardProvider>
            )}
          </Route>
        </Switch>
      </Suspense>
      <Tellings />
      <Announcer />
    </Boundary>
  )
}

function SignedIn() {
  const texts = useTexts()
  return (
    <Shell>
      <Unsettled />
      <Suspense fallback={<Loading label={texts.common.loading} />}>
        <Switch>
          <Route path="/">
            <Redirect to="/tabs/in_progress" replace />
          </Route>
          <Route path="/tabs/:disposition">{({ disposition }) => <BoardPage disposition={disposition} taskId={null} />}</Route>
          <Route path="/tasks/:id">{({ id }) => <BoardPage disposition={null} taskId={id} />}</Route>
          <Route path="/projects">
            <ProjectsPage />
          </Route>
          <Route path="/workflows">
            <WorkflowsPage />
          </Route>
          <Route path="/workflows/:id">{({ id }) => <WorkflowPage id={id} />}</Route>
          <Route path="/archive">
            <ArchivePage />
          </Route>
          <Route path="/settings">
            <Redirect to="/settings/account" replace />
          </Route>
          <Route path="/settings/:page">{({ page }) => <SettingsPage page={page} />}</Route>
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  )
}

/** Where to go on after signing in is kept in the address; only pages of this app count. */
function signInPath(): string {
  const { pathname, search } = window.location
  return pathname === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(pathname + search)}`
}

function afterSignIn(): string {
  const next = new URLSearchParams(window.location.search).get('next') ?? '/'
  if (!URL.canParse(next, window.location.origin)) return '/'
  const { origin, pathname, search } = new URL(next, window.location.origin)
  // A path that begins with two slashes would be another host.
  return origin === window.location.origin && !pathname.startsWith('//') ? pathname + search : '/'
}

function Failed({ again }: { again: () => void }) {
  const { common, shell } = useTexts()
  return (
    <Empty icon="warning" title={shell.notLoaded}>
      <Button onClick={again}>{common.tryAgain}</Button>
    </Empty>
  )
}

function Broken() {
  const { failures } = useTexts()
  return (
    <Empty icon="warning" title={failures.broken}>
      <Button onClick={() => window.location.reload()}>{failures.reload}</Button>
    </Empty>
  )
}
