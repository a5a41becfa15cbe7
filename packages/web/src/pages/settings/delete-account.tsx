import { useRef, useState } from 'react'
import { ask } from '../../client/http.ts'
import { useRequest } from '../../client/request.ts'
import { beginAnew, usePerson } from '../../client/session.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useProblems } from '../../components/problems.ts'
import { Section } from '../../components/section.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './delete-account.module.css'
import { ExportLink } from './export-link.tsx'

export function DeleteAccount() {
  const { account } = useTexts().settings
  const { email } = usePerson()
  const [isAsked, setAsked] = useState(false)
  return (
    <Section title={account.remove} about={account.removeAbout} isDangerous>
      <FormActions>
        <Button look="danger" onClick={() => setAsked(true)}>
          {account.removeAction}
        </Button>
      </FormActions>
      {isAsked && <AskedTwice email={email} onClose={() => setAsked(false)} />}
    </Section>
  )
}

function AskedTwice({ email, onClose }: { email: string; onClose: () => void }) {
  const { common, settings } = useTexts()
  const { account } = settings
  const [typed, setTyped] = useState('')
  const [isMistyped, setMistyped] = useState(false)
  const address = useRef<HTMLInputElement>(null)
  const [password, setPassword] = useState('')
  const remove = useRequest(() => ask<void>('POST', '/me/delete', { body: { password } }), beginAnew)
  const problem = useProblems(remove.error, { 'password.invalid_value': account.wrongPassword })

  function submit(): void {
    const isRight = typed.trim().toLowerCase() === email.toLowerCase()
    setMistyped(!isRight)
    if (isRight) remove.mutate()
    else address.current?.focus()
  }

  return (
    <Dialog title={account.removeTitle} isAlert onClose={onClose}>
      <div className={styles.question}>
        <p>{account.removeWhat}</p>
        <ul className={styles.list}>
          {account.removed.map((what) => (
            <li key={what}>{what}</li>
          ))}
        </ul>
        <p>{account.removeExport}</p>
        <FormActions>
          <ExportLink />
        </FormActions>
        <Form onSubmit={submit} isBusy={remove.isPending} error={remove.error} fields={['password']}>
          <TextField
            ref={address}
            label={account.removeTyped(email)}
            type="email"
            autoComplete="off"
            value={typed}
            problem={isMistyped ? account.removeMistyped : undefined}
            onChange={({ target }) => setTyped(target.value)}
          />
          <PasswordField
            label={account.password}
            autoComplete="current-password"
            value={password}
            problem={problem('password')}
            onChange={setPassword}
          />
          <FormActions>
            <Button type="submit" look="danger" isBusy={remove.isPending || remove.isSuccess}>
              {account.removeConfirm}
            </Button>
            <Button onClick={onClose}>{common.cancel}</Button>
          </FormActions>
        </Form>
      </div>
    </Dialog>
  )
}
