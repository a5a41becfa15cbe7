import { formatTime } from '@fivetab/domain/time.ts'
import type { Command } from 'commander'
import { type AccountChange, createAccount, getAccount, listAccounts, removeAccount, setAccount } from '../actions/accounts.ts'
import type { CountedAccount } from '../store/accounts.ts'
import { answer, asFirstOperator, asOperator, type Context, onOrOff, table, withJson } from './context.ts'

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
