import { PASSWORD_LENGTH } from '@fivetab/domain/password.ts'
import { useState } from 'react'
import { Link as PageLink, Redirect } from 'wouter'
import { usePersonRequest, useSession } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useProblems } from '../../components/problems.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Aside, Entrance } from './entrance.tsx'
import { isNoLink, type Link, useLink, useLinkValue } from './link.ts'

/** Setting a new password by a link, for one who has lost the former. */
export default function ResetPasswordPage() {
  const { resetPassword } = useTexts()
  const value = useLinkValue()
  const link = useLink(value)
  const isOther = link.data !== undefined && link.data.kind !== 'password_reset'
  return (
    <Entrance title={resetPassword.title}>
      {value === null || isOther || isNoLink(link.error) ? (
        <div role="alert">
          <Notice kind="warning">{value === null ? resetPassword.needsLink : resetPassword.noSuchLink}</Notice>
        </div>
      ) : (
        <Loaded query={link}>{(known) => <NewPassword link={known} value={value} />}</Loaded>
      )}
      <Aside>
        <p>
          <PageLink href="/sign-in">{resetPassword.signIn}</PageLink>
        </p>
      </Aside>
    </Entrance>
  )
}

function NewPassword({ link, value }: { link: Link; value: string }) {
  const { resetPassword } = useTexts()
  const [password, setPassword] = useState('')
  const request = usePersonRequest<{ link: string; password: string }>('POST', '/reset_password')
  const problem = useProblems(request.error)
  const isSignedIn = Boolean(useSession().data?.user)
  if (request.isSuccess && isSignedIn) return <Redirect to="/" replace />
  return (
    <Form
      onSubmit={() => request.mutate({ link: value, password })}
      isBusy={request.isPending || request.isSuccess}
      error={request.error}
      fields={['password']}
      label={resetPassword.title}
    >
      {/* For password managers, which keep a password with an address. */}
      <TextField label={resetPassword.email} type="email" autoComplete="username" readOnly value={link.email ?? ''} />
      <PasswordField
        label={resetPassword.password}
        name="password"
        autoComplete="new-password"
        help={resetPassword.passwordHelp(PASSWORD_LENGTH.min)}
        value={password}
        onChange={setPassword}
        problem={problem('password')}
      />
      <FormActions>
        <Button type="submit" look="main" isBusy={request.isPending}>
          {resetPassword.save}
        </Button>
      </FormActions>
    </Form>
  )
}
