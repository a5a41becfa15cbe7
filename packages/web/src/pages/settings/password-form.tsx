import { PASSWORD_LENGTH } from '@fivetab/domain/password.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { usePerson, usePersonRequest } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useProblems } from '../../components/problems.ts'
import { Section } from '../../components/section.tsx'
import { tell } from '../../components/told.ts'
import { useTexts } from '../../texts/texts.tsx'
import { SESSIONS_KEY } from './keys.ts'

export function PasswordForm() {
  const texts = useTexts().settings.account
  const client = useQueryClient()
  const { email } = usePerson()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = usePersonRequest<{ current_password: string; password: string }>('POST', '/me/password')
  const problem = useProblems(change.error, { 'current_password.invalid_value': texts.wrongPassword })

  function submit(): void {
    change.mutate(
      { current_password: current, password },
      {
        onSuccess: () => {
          setCurrent('')
          setPassword('')
          void client.invalidateQueries({ queryKey: SESSIONS_KEY })
          tell(texts.passwordChanged)
        },
      },
    )
  }

  return (
    <Section title={texts.password} about={texts.passwordAbout}>
      <Form onSubmit={submit} isBusy={change.isPending} error={change.error} fields={['current_password', 'password']}>
        {/* By this, password managers know whose password it is. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label={texts.currentPassword}
          autoComplete="current-password"
          value={current}
          problem={problem('current_password')}
          onChange={setCurrent}
        />
        <PasswordField
          label={texts.newPassword}
          help={texts.newPasswordHelp(PASSWORD_LENGTH.min)}
          autoComplete="new-password"
          value={password}
          problem={problem('password')}
          onChange={setPassword}
        />
        <FormActions>
          <Button type="submit" look="main" isBusy={change.isPending}>
            {texts.changePassword}
          </Button>
        </FormActions>
      </Form>
    </Section>
  )
}
