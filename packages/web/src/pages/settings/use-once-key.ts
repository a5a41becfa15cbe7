import { useRef } from 'react'
import { onceKey } from '../../board/once-key.ts'

/** The key of a creation: the same one while what is sent is the same, so that one whose answer was lost is not made twice. */
export function useOnceKey(): (body: object) => string {
  const last = useRef({ body: '', key: '' })
  return (body) => {
    const text = JSON.stringify(body)
    if (last.current.body !== text) last.current = { body: text, key: onceKey() }
    return last.current.key
  }
}
