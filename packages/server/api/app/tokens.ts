import { ref } from '@fivetab/domain/shape.ts'
import { CreateTokenShape, TokenShape, TokenWithValueShape, tokenToWire } from '@fivetab/domain/token-shape.ts'
import { createOwnToken, listOwnTokens, revokeOwnToken } from '../../actions/tokens.ts'
import type { RandomBytes } from '../../store/ids.ts'
import type { Api } from '../api.ts'
import { actorOf } from '../caller.ts'
import { NOTHING, operation, tokenPath } from '../operation.ts'
import { listOf, wholeList } from '../pages.ts'

const tag = 'App'

export const TokenList = listOf(TokenShape)

/** A person's own tokens: what makes, shows and ends them is a session, never a token. */
export function tokenRoutes(app: Api, random: RandomBytes): void {
  app.get(
    '/tokens',
    operation({
      id: 'listTokens',
      summary: 'All tokens, newest first',
      tag,
      scope: null,
      replies: { 200: { description: 'All tokens, those that no longer work too.', shape: TokenList } },
    }),
    async (request) => wholeList((await listOwnTokens(actorOf(request))).map(tokenToWire)),
  )

  app.post(
    '/tokens',
    operation({
      id: 'createToken',
      summary: 'Make a token; its value is shown once',
      tag,
      scope: null,
      body: ref(CreateTokenShape),
      replies: { 201: { description: 'The new token, with its value.', shape: TokenWithValueShape } },
    }),
    async (request, reply) => {
      const { name, scopes, lifetime_days: lifetimeDays } = request.body
      const { token, value } = await createOwnToken(actorOf(request), random, { name, scopes, lifetimeDays })
      return reply.status(201).send({ ...tokenToWire(token), value })
    },
  )

  app.post(
    '/tokens/:id/revoke',
    operation({
      id: 'revokeToken',
      summary: 'End a token at once',
      tag,
      scope: null,
      params: tokenPath,
      body: NOTHING,
      bodyOptional: true,
      replies: { 200: { description: 'The token as it is now.', shape: TokenShape } },
      problems: ['not_found'],
    }),
    async (request) => tokenToWire(await revokeOwnToken(actorOf(request), request.params.id)),
  )
}
