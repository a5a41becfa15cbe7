import { SCOPE_NAMES, SCOPES } from '@fivetab/domain/scope.ts'
import { formatTime, formatTimeOrNull } from '@fivetab/domain/time.ts'
import type { Token } from '@fivetab/domain/token.ts'
import type { Command } from 'commander'
import { createToken, listTokens, revokeToken } from '../actions/tokens.ts'
import { answer, asOperator, type Context, duration, table, withJson } from './context.ts'

export function tokenCommand(program: Command, context: Context): void {
  const token = program.command('token').description('make, list and revoke access tokens')

  withJson(token.command('create'))
    .description('make a token; its value is shown this once')
    .requiredOption('--account <email>', 'the account that the token acts for')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--scopes <scopes>', 'what it may do, separated by commas', (text) => text.split(',').map((scope) => scope.trim()))
    .requiredOption('--expires-in <duration>', 'how long it works: 2s, 15m, 12h, 30d', duration)
    .addHelpText('after', `\nScopes:\n${SCOPE_NAMES.map((scope) => `  ${scope.padEnd(17)} ${SCOPES[scope]}`).join('\n')}`)
    .action(async (options: { account: string; name: string; scopes: string[]; expiresIn: number; json?: true }) => {
      const { token: made, value } = await asOperator(context, (by) =>
        createToken(by, { email: options.account, name: options.name, scopes: options.scopes, lifetimeMs: options.expiresIn }),
      )
      const { id, ...rest } = tokenToJson(made)
      answer(
        context,
        options,
        { id, token: value, ...rest },
        `${value}\n\nKeep it now: it is not shown again. It expires at ${rest.expires_at}.`,
      )
    })

  withJson(token.command('list'))
    .description('list the tokens of an account, without their values')
    .requiredOption('--account <email>', 'the account')
    .action(async (options: { account: string; json?: true }) => {
      const tokens = await asOperator(context, (by) => listTokens(by, options.account))
      answer(context, options, tokens.map(tokenToJson), tokenTable(tokens, context.clock()))
    })

  withJson(token.command('revoke'))
    .description('end a token at once')
    .argument('<id>', 'the id of the token')
    .action(async (id: string, options: { json?: true }) => {
      const revoked = await asOperator(context, (by) => revokeToken(by, id))
      answer(context, options, tokenToJson(revoked), `The token "${revoked.name}" (${revoked.id}) no longer works.`)
    })
}

function tokenToJson(token: Token) {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    created_at: formatTime(token.createdAt),
    expires_at: formatTime(token.expiresAt),
    revoked_at: formatTimeOrNull(token.revokedAt),
    last_used_at: formatTimeOrNull(token.lastUsedAt),
  }
}

function tokenTable(tokens: readonly Token[], now: number): string {
  const rows = tokens.map((token) => [
    token.id,
    token.name,
    stateOf(token, now),
    formatTime(token.expiresAt),
    formatTimeOrNull(token.lastUsedAt) ?? 'never',
    token.scopes.join(','),
  ])
  return table(['ID', 'NAME', 'STATE', 'EXPIRES', 'LAST USED', 'SCOPES'], rows)
}

function stateOf(token: Token, now: number): string {
  if (token.revokedAt !== null) return 'revoked'
  return token.expiresAt <= now ? 'expired' : 'works'
}
