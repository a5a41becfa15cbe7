import { type Static, Type } from 'typebox'
import type { Account } from './account.ts'
import { PASSWORD_LENGTH } from './password.ts'
import type { Plan } from './plan.ts'
import { CreatedAt, dateTime, id, nullable, oneOf, ref, shape, text } from './shape.ts'
import { formatTime } from './time.ts'

/** A person as the app shows them to themselves, and what they send to sign up, to sign in and to change what is theirs. The app's own: no contract. */

const email = text('line', 1, 254, 'The e-mail address.')
const name = nullable(text('line', 0, 200, 'What the person is called; up to 200 characters, or null.'))
const timeZone = text('line', 1, 100, "The person's time zone, an IANA name.")
/** Longer than any that there can be: what is wrong with a new one is told by the rule. */
const password = Type.String({ maxLength: 1_024, description: `A password: ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters.` })
const link = Type.String({ minLength: 1, maxLength: 200, description: 'The value of a link that works once.' })
const count = (description: string) => Type.Integer({ minimum: 0, description })

export const PersonShape = shape(
  'Person',
  'Who is signed in.',
  {
    object: Type.Literal('person'),
    id: id('The id of the account.'),
    email,
    name,
    time_zone: timeZone,
    session_id: id('The session of this request.'),
    api_access: Type.Boolean({ description: 'False when the operator has turned API access off for this account.' }),
    plan: Type.Object(
      {
        key: Type.String({ description: 'The key of the plan.' }),
        api_access: Type.Boolean({ description: 'Whether it includes API access.' }),
        active_task_limit: nullable(count('How many active tasks it allows; null for no limit.')),
        active_tasks: count('How many there are: neither done nor archived.'),
        token_per_minute: count('Requests a minute of one token, and of one session.'),
        account_per_minute: count('Requests a minute of all tokens together, and of all sessions together.'),
        writes_per_day: count('Writes a UTC day.'),
        writes_today: count('How many there were today.'),
      },
      { additionalProperties: false, description: "The account's plan, and how much of it is used." },
    ),
    created_at: CreatedAt,
  },
  {
    object: 'person',
    id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a00',
    email: 'ada@example.org',
    name: 'Ada',
    time_zone: 'Europe/London',
    session_id: '019aa4a5-4c00-7b3e-8f10-2f6f1d0c9a70',
    api_access: true,
    plan: {
      key: 'pro',
      api_access: true,
      active_task_limit: 5_000,
      active_tasks: 12,
      token_per_minute: 300,
      account_per_minute: 1_200,
      writes_per_day: 20_000,
      writes_today: 40,
    },
    created_at: '2026-11-21T07:00:00.000Z',
  },
)

export const AppSessionShape = shape(
  'AppSession',
  'What the app has to know at its start.',
  {
    object: Type.Literal('app_session'),
    sign_up: oneOf(['open', 'invite', 'closed'], 'Who may make an account: anybody, who has an invitation, or nobody.'),
    user: Type.Unsafe<Static<typeof PersonShape> | null>({
      anyOf: [ref(PersonShape), { type: 'null' }],
      description: 'Who is signed in; null for nobody.',
    }),
  },
  { object: 'app_session', sign_up: 'invite', user: null },
)

export const SignUpShape = shape(
  'SignUp',
  'A new account.',
  { email, password, name: Type.Optional(name), time_zone: Type.Optional(timeZone), link: Type.Optional(link) },
  { email: 'ada@example.org', password: 'correct horse battery' },
)

export const SignInShape = shape(
  'SignIn',
  'Who one is, and the proof.',
  { email, password },
  { email: 'ada@example.org', password: 'correct horse battery' },
)

export const LinkToOpenShape = shape('LinkToOpen', 'A link, to look at.', { link }, { link: 'q3m…' })

export const LinkShape = shape(
  'Link',
  'What a link is for.',
  {
    object: Type.Literal('link'),
    kind: oneOf(['first', 'invitation', 'password_reset'], 'To make the first account, one by invitation, or to set a new password.'),
    email: nullable(Type.String({ description: 'The address that it is for; null for any.' })),
    expires_at: dateTime('Until when it works.'),
  },
  { object: 'link', kind: 'invitation', email: null, expires_at: '2026-11-28T07:00:00.000Z' },
)

export const ResetPasswordShape = shape('ResetPassword', 'A new password by a link.', { link, password }, { link: 'q3m…', password: '…' })

export const UpdatePersonShape = shape(
  'UpdatePerson',
  'Only the fields that are sent change; null clears one.',
  { name: Type.Optional(name), time_zone: Type.Optional(timeZone) },
  { time_zone: 'Europe/London' },
)

export const ChangeEmailShape = shape('ChangeEmail', 'A new address, with the password.', { email, password }, { email: 'ada@example.net' })

export const ChangePasswordShape = shape(
  'ChangePassword',
  'A new password, with the one so far.',
  { current_password: password, password },
  { current_password: '…', password: '…' },
)

export const DeleteAccountShape = shape('DeleteAccount', 'The end of an account, with its password.', { password }, { password: '…' })

export type PersonWire = Static<typeof PersonShape>
export type AppSessionWire = Static<typeof AppSessionShape>
export type LinkWire = Static<typeof LinkShape>

export function personToWire(
  account: Account,
  plan: Plan,
  used: { activeTasks: number; writesToday: number },
  sessionId: string,
): PersonWire {
  return {
    object: 'person',
    id: account.id,
    email: account.email,
    name: account.name,
    time_zone: account.timeZone,
    session_id: sessionId,
    api_access: account.apiAccess,
    plan: {
      key: plan.key,
      api_access: plan.apiAccess,
      active_task_limit: plan.activeTasks,
      active_tasks: used.activeTasks,
      token_per_minute: plan.tokenPerMinute,
      account_per_minute: plan.accountPerMinute,
      writes_per_day: plan.writesPerDay,
      writes_today: used.writesToday,
    },
    created_at: formatTime(account.createdAt),
  }
}
