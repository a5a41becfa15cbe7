import { PASSWORD_LENGTH } from '@fivetab/domain/password.ts'
import { useState } from 'react'
import { usePersonRequest } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useProblems } from '../../components/problems.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Link } from './link.ts'

interface SignUp {
  email: string
  password: string
  name: string | null
  time_zone?: string
  link?: string
}

/** What it takes to make an account. Whoever came by a link for one address cannot take another. */
export function SignUpForm({ link }: { link?: Link & { value: string } }) {
  const { signUp } = useTexts()
  const [email, setEmail] = useState(link?.email ?? '')
  const [password, setPassword] = useState('')
  const [name, setName] = useState('')
  const request = usePersonRequest<SignUp>('POST', '/sign_up')
  const problem = useProblems(request.error)
  const isFixed = typeof link?.email === 'string'
  return (
    <Form
      onSubmit={() => request.mutate({ email, password, name: name.trim() || null, ...timeZone(), ...(link && { link: link.value }) })}
      isBusy={request.isPending || request.isSuccess}
      error={request.error}
      fields={['email', 'password', 'name']}
      label={signUp.title}
    >
      <TextField
        label={signUp.email}
        type="email"
        name="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        readOnly={isFixed}
        autoFocus={!isFixed}
        help={isFixed ? signUp.emailIsFixed : undefined}
        value={email}
        onChange={({ target }) => setEmail(target.value)}
        problem={problem('email')}
      />
      <PasswordField
        label={signUp.password}
        name="password"
        autoComplete="new-password"
        autoFocus={isFixed}
        help={signUp.passwordHelp(PASSWORD_LENGTH.min)}
        value={password}
        onChange={setPassword}
        problem={problem('password')}
      />
      <TextField
        label={signUp.name}
        name="name"
        autoComplete="name"
        help={signUp.nameHelp}
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
        problem={problem('name')}
      />
      <FormActions>
        <Button type="submit" look="main" isBusy={request.isPending}>
          {link?.kind === 'first' ? signUp.makeFirst : signUp.make}
        </Button>
      </FormActions>
    </Form>
  )
}

/** The zone that the browser says it is in; some know of none. */
function timeZone(): { time_zone?: string } {
  const { timeZone: name } = new Intl.DateTimeFormat().resolvedOptions()
  return name && name !== 'Etc/Unknown' ? { time_zone: name } : {}
}
