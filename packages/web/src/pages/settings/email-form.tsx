import { useState } from 'react'
import { usePerson, usePersonRequest } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useProblems } from '../../components/problems.ts'
import { Section } from '../../components/section.tsx'
import { tell } from '../../components/told.ts'
import { useTexts } from '../../texts/texts.tsx'

export function EmailForm() {
  const texts = useTexts().settings.account
  const person = usePerson()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const change = usePersonRequest<{ email: string; password: string }>('POST', '/me/email')
  const problem = useProblems(change.error, { 'password.invalid_value': texts.wrongPassword })

  function submit(): void {
    change.mutate(
      { email, password },
      {
        onSuccess: (changed) => {
          setEmail('')
          setPassword('')
          tell(texts.emailChanged(changed.email))
        },
      },
    )
  }

  return (
    <Section title={texts.email} about={texts.emailAbout(person.email)}>
      <Form onSubmit={submit} isBusy={change.isPending} error={change.error} fields={['email', 'password']}>
        <TextField
          label={texts.newEmail}
          type="email"
          autoComplete="email"
          value={email}
          problem={problem('email')}
          onChange={({ target }) => setEmail(target.value)}
        />
        <PasswordField
          label={texts.password}
          help={texts.passwordProofHelp}
          autoComplete="current-password"
          value={password}
          problem={problem('password')}
          onChange={setPassword}
        />
        <FormActions>
          <Button type="submit" look="main" isBusy={change.isPending}>
            {texts.changeEmail}
          </Button>
        </FormActions>
      </Form>
    </Section>
  )
}
