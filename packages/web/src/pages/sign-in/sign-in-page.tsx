import { useState } from 'react'
import { Link } from 'wouter'
import { type SignUpMode, usePersonRequest, useSession } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useProblems } from '../../components/problems.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Aside, Entrance } from './entrance.tsx'

/** Signing in. Where one goes on to is the affair of who shows this page. */
export default function SignInPage() {
  const { signIn } = useTexts()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const request = usePersonRequest<{ email: string; password: string }>('POST', '/sign_in')
  const problem = useProblems(request.error)
  return (
    <Entrance title={signIn.title}>
      <Form
        onSubmit={() => request.mutate({ email, password })}
        isBusy={request.isPending || request.isSuccess}
        error={request.error}
        fields={['email', 'password']}
        label={signIn.title}
      >
        <TextField
          label={signIn.email}
          type="email"
          name="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          value={email}
          onChange={({ target }) => setEmail(target.value)}
          problem={problem('email')}
        />
        <PasswordField
          label={signIn.password}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          problem={problem('password')}
        />
        <FormActions>
          <Button type="submit" look="main" isBusy={request.isPending}>
            {signIn.signIn}
          </Button>
        </FormActions>
      </Form>
      <OtherWays mode={useSession().data?.sign_up ?? 'closed'} />
    </Entrance>
  )
}

/** How one gets in who has no account, or has lost the password. */
function OtherWays({ mode }: { mode: SignUpMode }) {
  const { signIn } = useTexts()
  return (
    <Aside>
      {mode === 'open' ? (
        <p>
          {signIn.noAccountYet} <Link href="/sign-up">{signIn.signUp}</Link>
        </p>
      ) : (
        <p>{mode === 'invite' ? signIn.byInvitation : signIn.byOperator}</p>
      )}
      <p>{signIn.lostPassword}</p>
    </Aside>
  )
}
