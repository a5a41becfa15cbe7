import type { SessionWire } from '@fivetab/domain/session-shape.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ask, Refused } from '../../client/http.ts'
import { useRequest, useResource } from '../../client/request.ts'
import { useSignOut } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { FormActions } from '../../components/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { tell, useTold } from '../../components/told.ts'
import { useKeptFocus } from '../../components/use-kept-focus.ts'
import { When } from '../../components/when.tsx'
import type { Texts } from '../../texts/en.ts'
import { useTexts } from '../../texts/texts.tsx'
import { browserName } from './browser-name.ts'
import { SESSIONS_KEY } from './keys.ts'
import styles from './rows.module.css'

/** Where the person is signed in. */
export function SessionsPage() {
  const { sessions: texts, pages } = useTexts().settings
  const sessions = useResource<{ data: SessionWire[] }>(SESSIONS_KEY, '/sessions')
  return (
    <Page title={pages.sessions} about={texts.about}>
      <Loaded query={sessions}>
        {({ data }) => (
          <>
            <Section title={texts.here}>
              <ul className={styles.rows}>
                {data
                  .filter(({ current }) => current)
                  .map((session) => (
                    <SessionRow key={session.id} session={session} />
                  ))}
              </ul>
            </Section>
            <Others sessions={data.filter(({ current }) => !current)} />
          </>
        )}
      </Loaded>
      <Everywhere />
    </Page>
  )
}

function Others({ sessions }: { sessions: readonly SessionWire[] }) {
  const { sessions: texts } = useTexts().settings
  const list = useRef<HTMLUListElement>(null)
  useKeptFocus(
    list,
    sessions.map(({ id }) => id),
  )
  return (
    <Section title={texts.others}>
      {sessions.length === 0 ? (
        <p className={styles.none}>{texts.noOthers}</p>
      ) : (
        <ul ref={list} className={styles.rows}>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function SessionRow({ session }: { session: SessionWire }) {
  const texts = useTexts()
  const { sessions } = texts.settings
  const where = placeOf(session, texts)
  return (
    <li className={styles.row}>
      <div className={styles.about}>
        <div className={styles.head}>
          <span className={styles.name} title={session.user_agent ?? undefined}>
            {where}
          </span>
        </div>
        <Facts>
          <Fact name={sessions.signedIn}>
            <When at={session.created_at} />
          </Fact>
          <Fact name={sessions.lastUsed}>
            <When at={session.last_used_at} />
          </Fact>
          <Fact name={sessions.ends}>
            <When at={session.expires_at} />
          </Fact>
        </Facts>
      </div>
      <div className={styles.actions}>{session.current ? <SignOutHere /> : <SignOutThere session={session} where={where} />}</div>
    </li>
  )
}

/** The browser and the system in plain words, as far as they are known. */
function placeOf({ user_agent }: SessionWire, { settings: { sessions } }: Texts): string {
  const { browser, system } = browserName(user_agent)
  const known = browser ?? sessions.unknownBrowser
  return system === null ? known : sessions.browserOn(known, system)
}

function SignOutHere() {
  const { sessions } = useTexts().settings
  const { tellFailure } = useTold()
  const signOut = useSignOut('/sign_out')
  return (
    <Button isBusy={signOut.isPending} onClick={() => signOut.mutate(undefined, { onError: tellFailure })}>
      {sessions.end}
    </Button>
  )
}

function SignOutThere({ session, where }: { session: SessionWire; where: string }) {
  const { sessions } = useTexts().settings
  const { tellFailure } = useTold()
  const client = useQueryClient()
  const end = useRequest(
    () => endSession(session.id),
    async () => {
      tell(sessions.ended(where))
      await client.invalidateQueries({ queryKey: SESSIONS_KEY })
    },
  )
  return (
    <Button aria-label={sessions.endNamed(where)} isBusy={end.isPending} onClick={() => end.mutate(undefined, { onError: tellFailure })}>
      {sessions.end}
    </Button>
  )
}

/** One that has ended by itself meanwhile is what was wanted. */
async function endSession(id: string): Promise<void> {
  try {
    await ask('DELETE', `/sessions/${id}`)
  } catch (error) {
    if (!(error instanceof Refused && error.problem.code === 'not_found')) throw error
  }
}

function Everywhere() {
  const { sessions } = useTexts().settings
  const { tellFailure } = useTold()
  const signOut = useSignOut('/sign_out_everywhere')
  const [isAsked, setAsked] = useState(false)
  return (
    <Section title={sessions.everywhere} about={sessions.everywhereAbout}>
      <FormActions>
        <Button onClick={() => setAsked(true)}>{sessions.everywhere}</Button>
      </FormActions>
      {isAsked && (
        <Confirm
          title={sessions.everywhereTitle}
          action={sessions.everywhere}
          isBusy={signOut.isPending}
          onConfirm={() => signOut.mutate(undefined, { onError: tellFailure })}
          onClose={() => setAsked(false)}
        >
          <p>{sessions.everywhereAbout}</p>
        </Confirm>
      )}
    </Section>
  )
}
