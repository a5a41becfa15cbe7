import type { TokenWithValueWire } from '@fivetab/domain/token-shape.ts'
import { CopyBlock, ShownOnce } from '../../components/shown-once.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { taskLine, whoLine } from './tokens.ts'

/** A token that has just been made, and how to use it at once. */
export function NewToken({ token, onDone }: { token: TokenWithValueWire; onDone(): void }) {
  const { api } = useTexts().settings
  const { origin } = window.location
  return (
    <ShownOnce
      title={api.madeTitle(token.name)}
      warning={api.madeWarning}
      label={api.value}
      secret={token.value}
      copyLabel={api.copyValue}
      done={api.done}
      onDone={onDone}
    >
      <h3>{api.tryOut}</h3>
      <CopyBlock label={api.tryOutMe} text={whoLine(origin, token.value)} copyLabel={api.copyLine} />
      {token.scopes.includes('tasks:write') && (
        <CopyBlock label={api.tryOutTask} text={taskLine(origin, token.value, api.firstTask)} copyLabel={api.copyLine} />
      )}
    </ShownOnce>
  )
}
