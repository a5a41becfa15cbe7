import { Failure } from '@fivetab/domain/failure.ts'
import { LINK_LIFETIME_MS, linkAddress } from '@fivetab/domain/link.ts'
import { formatTime } from '@fivetab/domain/time.ts'
import type { Command } from 'commander'
import { type AccountChange, createAccount, getAccount, listAccounts, removeAccount, setAccount } from '../actions/accounts.ts'
import { invite, type MadeLink, makeResetLink } from '../actions/links.ts'
import { openPasswords } from '../actions/passwords.ts'
import { setPassword } from '../actions/people.ts'
import { baseUrlOf, readSettings } from '../settings.ts'
import type { CountedAccount } from '../store/accounts.ts'
import { answer, asFirstOperator, asOperator, type Context, duration, onOrOff, table, withJson } from './context.ts'

export function accountCommand(program: Command, context: Context): void {
  const account = program.command('account').description('make, show, change and delete accounts')

  withJson(account.command('create'))
    .description('make an account')
    .requiredOption('--email <address>', 'the address of the account')
    .option('--name <name>', "the person's name")
    .option('--plan <key>', 'the plan; unlimited if not given')
    .action(async (options: { email: string; name?: string; plan?: string; json?: true }) => {
      const made = await asFirstOperator(context, (by) => createAccount(by, options))
      answer(context, options, accountToJson(made), `Made the account ${made.email} (${made.id}) on the plan ${made.planKey}.`)
    })

  withJson(account.command('list'))
    .description('list all accounts')
    .action(async (options: { json?: true }) => {
      const accounts = await asOperator(context, listAccounts)
      answer(context, options, accounts.map(accountToJson), accountTable(accounts))
    })

  withJson(account.command('show'))
    .description('show one account')
    .argument('<email>', 'the address of the account')
    .action(async (email: string, options: { json?: true }) => {
      const shown = await asOperator(context, (by) => getAccount(by, email))
      answer(context, options, accountToJson(shown), accountTable([shown]))
    })

  withJson(account.command('set'))
    .description('change an account')
    .argument('<email>', 'the address of the account')
    .option('--name <name>', "the person's name")
    .option('--plan <key>', 'the plan')
    .option('--time-zone <zone>', 'the time zone, such as Europe/Berlin')
    .option('--api-access <on|off>', 'whether the API may be used', onOrOff)
    .option('--vault <on|off>', 'whether the account is end-to-end encrypted, which the API refuses', onOrOff)
    .action(async (email: string, options: AccountChange & { json?: true }) => {
      const { json: _, ...change } = options
      const changed = await asOperator(context, (by) => setAccount(by, email, change))
      answer(context, options, accountToJson(changed), accountTable([changed]))
    })

  withJson(account.command('invite'))
    .description('make a link by which a person can make an account, once; it is shown this once')
    .option('--email <address>', 'the one address that it is for; any if not given')
    .option('--plan <key>', 'the plan of the account; unlimited if not given')
    .option('--expires-in <duration>', 'how long it works: 1h to 90d', duration, LINK_LIFETIME_MS.invitation.usual)
    .action(async (options: { email?: string; plan?: string; expiresIn: number; json?: true }) => {
      const baseUrl = baseUrlFor(context)
      const { email, plan: planKey, expiresIn: lifetimeMs } = options
      const made = await asOperator(context, (by) => invite(by, { ...(email && { email }), ...(planKey && { planKey }), lifetimeMs }))
      answerLink(context, options, baseUrl, made)
      if (readSettings(context.environment).signUp === 'closed')
        context.printError('SIGN_UP is closed: the link works only once that is changed.')
    })

  withJson(account.command('reset-link'))
    .description('make a link by which a person can set a new password, once; it is shown this once')
    .argument('<email>', 'the address of the account')
    .option('--expires-in <duration>', 'how long it works: 1m to 7d', duration, LINK_LIFETIME_MS.password_reset.usual)
    .action(async (email: string, options: { expiresIn: number; json?: true }) => {
      const baseUrl = baseUrlFor(context)
      answerLink(context, options, baseUrl, await asOperator(context, (by) => makeResetLink(by, email, options.expiresIn)))
    })

  withJson(account.command('set-password'))
    .description('set the password of an account: one line of the standard input; all its sessions end')
    .argument('<email>', 'the address of the account')
    .action(async (email: string, options: { json?: true }) => {
      const changed = await asOperator(context, async (by) => {
        // Before anything is typed.
        await getAccount(by, email)
        return setPassword(by, openPasswords(by.random), email, await context.readPassword())
      })
      answer(context, options, accountToJson(changed), `Set the password of ${changed.email}. Nobody is signed in to the account any more.`)
    })

  withJson(account.command('delete'))
    .description('delete an account with everything in it, for good')
    .argument('<email>', 'the address of the account')
    .action(async (email: string, options: { json?: true }) => {
      const gone = await asOperator(context, (by) => removeAccount(by, email))
      answer(
        context,
        options,
        { id: gone.id, email: gone.email, deleted: true },
        `Deleted the account ${gone.email} with everything in it.`,
      )
    })
}

/** What links begin with. @throws Failure `invalid_request` when the settings do not tell */
function baseUrlFor({ environment }: Context): string {
  const settings = readSettings(environment)
  if (settings.baseUrl === null && settings.port === 0)
    throw new Failure('invalid_request', 'Where the service is reached cannot be told from PORT=0: set BASE_URL.')
  return baseUrlOf(settings)
}

function answerLink(context: Context, options: { json?: true }, baseUrl: string, { link, value }: MadeLink): void {
  const url = linkAddress(baseUrl, link.kind, value)
  const { email, planKey, expiresAt } = link
  const expires_at = formatTime(expiresAt)
  answer(
    context,
    options,
    { link: url, kind: link.kind, email, plan: planKey, expires_at },
    `${url}\n\nIt works once, for whoever has it. It expires at ${expires_at}.`,
  )
}

function accountToJson(account: CountedAccount) {
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    time_zone: account.timeZone,
    plan: account.planKey,
    api_access: account.apiAccess,
    vault: account.vault,
    active_tasks: account.activeTasks,
    has_password: account.hasPassword,
    created_at: formatTime(account.createdAt),
  }
}

function accountTable(accounts: readonly CountedAccount[]): string {
  const rows = accounts.map((account) => [
    account.email,
    account.name ?? '',
    account.planKey,
    account.apiAccess ? 'on' : 'off',
    account.vault ? 'on' : 'off',
    String(account.activeTasks),
    account.timeZone,
    account.id,
  ])
  return table(['EMAIL', 'NAME', 'PLAN', 'API', 'VAULT', 'ACTIVE', 'TIME ZONE', 'ID'], rows)
}
