import { Link as PageLink } from 'wouter'
import { type SignUpMode, useSession } from '../../client/session.ts'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Aside, Entrance } from './entrance.tsx'
import { isNoLink, type Link, useLink, useLinkValue } from './link.ts'
import { SignUpForm } from './sign-up-form.tsx'

/** Making an account: by a link, or without one where everybody may. */
export default function SignUpPage() {
  const { signUp } = useTexts()
  const value = useLinkValue()
  const link = useLink(value)
  const mode = useSession().data?.sign_up ?? 'closed'
  if (value === null) {
    return (
      <Entrance title={signUp.title}>
        {mode === 'open' ? <SignUpForm /> : <Notice>{mode === 'invite' ? signUp.byInvitation : signUp.byOperator}</Notice>}
        <HasAccount />
      </Entrance>
    )
  }
  return (
    <Entrance title={link.data?.kind === 'first' ? signUp.firstTitle : signUp.title}>
      {isNoLink(link.error) ? <NoSuchLink /> : <Loaded query={link}>{(known) => <ByLink link={known} value={value} mode={mode} />}</Loaded>}
      {link.data?.kind !== 'first' && <HasAccount />}
    </Entrance>
  )
}

function ByLink({ link, value, mode }: { link: Link; value: string; mode: SignUpMode }) {
  const { signUp } = useTexts()
  if (link.kind === 'password_reset') return <NoSuchLink />
  if (link.kind === 'invitation' && mode === 'closed') return <Notice>{signUp.byOperator}</Notice>
  return (
    <>
      <p>{link.kind === 'first' ? signUp.firstAbout : signUp.invited}</p>
      <SignUpForm link={{ ...link, value }} />
    </>
  )
}

function NoSuchLink() {
  const { signUp } = useTexts()
  return (
    <div role="alert">
      <Notice kind="warning">{signUp.noSuchLink}</Notice>
    </div>
  )
}

function HasAccount() {
  const { signUp } = useTexts()
  return (
    <Aside>
      <p>
        {signUp.hasAccount} <PageLink href="/sign-in">{signUp.signIn}</PageLink>
      </p>
    </Aside>
  )
}
