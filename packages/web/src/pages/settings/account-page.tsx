import { useSignOut } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { FormActions } from '../../components/form.tsx'
import { Page } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { useTold } from '../../components/told.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Appearance } from './appearance.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { EmailForm } from './email-form.tsx'
import { ExportLink } from './export-link.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProfileForm } from './profile-form.tsx'

export function AccountPage() {
  const { settings } = useTexts()
  return (
    <Page title={settings.pages.account}>
      <ProfileForm />
      <EmailForm />
      <PasswordForm />
      <Appearance />
      <YourData />
      <SignOut />
      <DeleteAccount />
    </Page>
  )
}

function YourData() {
  const { account } = useTexts().settings
  return (
    <Section title={account.data} about={account.dataAbout}>
      <FormActions>
        <ExportLink />
      </FormActions>
    </Section>
  )
}

function SignOut() {
  const { account } = useTexts().settings
  const { tellFailure } = useTold()
  const signOut = useSignOut('/sign_out')
  return (
    <Section title={account.signOut} about={account.signOutAbout}>
      <FormActions>
        <Button isBusy={signOut.isPending} onClick={() => signOut.mutate(undefined, { onError: tellFailure })}>
          {account.signOut}
        </Button>
      </FormActions>
    </Section>
  )
}
