import type { TokenWire } from '@fivetab/domain/token-shape.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ask } from '../../client/http.ts'
import { useRequest } from '../../client/request.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { focusWhenLost } from '../../components/focus.ts'
import { tell, useTold } from '../../components/told.ts'
import { When } from '../../components/when.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { TOKENS_KEY } from './keys.ts'
import styles from './rows.module.css'
import { stateOf } from './tokens.ts'

/** All tokens, those that no longer work apart. */
export function TokenList({ tokens }: { tokens: readonly TokenWire[] }) {
  const { api } = useTexts().settings
  const now = Date.now()
  const live = tokens.filter((token) => token.revoked_at === null && Date.parse(token.expires_at) > now)
  const ended = tokens.filter((token) => !live.includes(token))
  const list = useRef<HTMLDivElement>(null)
  const [revoking, setRevoking] = useState<TokenWire | null>(null)
  return (
    <div ref={list} tabIndex={-1} className={styles.groups}>
      {live.length === 0 ? (
        <p className={styles.none}>{tokens.length === 0 ? api.noTokens : api.noneWorks}</p>
      ) : (
        <ul className={styles.rows}>
          {live.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <details className={styles.apart}>
          <summary className={styles.summary}>
            {api.ended} ({ended.length})
          </summary>
          <ul className={styles.rows}>
            {ended.map((token) => (
              <TokenRow key={token.id} token={token} />
            ))}
          </ul>
        </details>
      )}
      {revoking !== null && (
        <Revoking
          token={revoking}
          onClose={() => setRevoking(null)}
          onRevoked={() => {
            setRevoking(null)
            focusWhenLost(list.current)
          }}
        />
      )}
    </div>
  )
}

function TokenRow({ token, onRevoke }: { token: TokenWire; onRevoke?: () => void }) {
  const { api } = useTexts().settings
  const state = stateOf(token, Date.now())
  return (
    <li className={styles.row}>
      <div className={styles.about}>
        <div className={styles.head}>
          <span className={styles.name}>{token.name}</span>
          {state === 'ends_soon' && <Badge look="warning">{api.soon}</Badge>}
          {state === 'expired' && <Badge look="plain">{api.expired}</Badge>}
          {state === 'revoked' && <Badge look="plain">{api.revoked}</Badge>}
        </div>
        <ul className={styles.scopes} aria-label={api.scopes}>
          {token.scopes.map((scope) => (
            <li key={scope} title={api.scopeWords[scope]}>
              <code>{scope}</code>
            </li>
          ))}
        </ul>
        <Facts>
          <Fact name={api.created}>
            <When at={token.created_at} />
          </Fact>
          <Fact name={api.lastUsed}>{token.last_used_at === null ? api.neverUsed : <When at={token.last_used_at} />}</Fact>
          {token.revoked_at === null ? (
            <Fact name={state === 'expired' ? api.expired : api.expires}>
              <When at={token.expires_at} />
            </Fact>
          ) : (
            <Fact name={api.revoked}>
              <When at={token.revoked_at} />
            </Fact>
          )}
        </Facts>
      </div>
      {onRevoke && (
        <div className={styles.actions}>
          <Button aria-label={api.revokeNamed(token.name)} onClick={onRevoke}>
            {api.revoke}
          </Button>
        </div>
      )}
    </li>
  )
}

function Revoking({ token, onClose, onRevoked }: { token: TokenWire; onClose(): void; onRevoked(): void }) {
  const { api } = useTexts().settings
  const client = useQueryClient()
  const { tellFailure } = useTold()
  const revoke = useRequest(
    () => ask<TokenWire>('POST', `/tokens/${token.id}/revoke`),
    async () => {
      await client.invalidateQueries({ queryKey: TOKENS_KEY })
      tell(api.revokedNow(token.name))
      onRevoked()
    },
  )
  return (
    <Confirm
      title={api.revokeTitle}
      action={api.revoke}
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate(undefined, { onError: tellFailure })}
      onClose={onClose}
    >
      <p>{api.revokeAbout(token.name)}</p>
    </Confirm>
  )
}
