import type { DispositionWire } from '@fivetab/domain/disposition.ts'
import { DISPOSITIONS, type Disposition } from '@fivetab/domain/disposition.ts'
import { useMemo } from 'react'
import type { Texts } from '../texts/en.ts'
import { en } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'
import { useBoard } from './board-context.tsx'

/** The five tabs as the person knows them. */

export interface Tab {
  key: Disposition
  name: string
  /** `#rrggbb` */
  color: string
}

/** A tab that was never renamed comes with its English name from the service; it has one in every language. */
export function tabsOf(dispositions: readonly DispositionWire[], texts: Pick<Texts, 'dispositions'>): Tab[] {
  return dispositions
    .toSorted((a, b) => a.position - b.position)
    .map(({ key, label, color }) => ({ key, name: label === en.dispositions[key] ? texts.dispositions[key] : label, color }))
}

export function useTabs(): Tab[] {
  const { dispositions } = useBoard()
  const texts = useTexts()
  return useMemo(() => tabsOf(dispositions, texts), [dispositions, texts])
}

export function isDisposition(key: string | null): key is Disposition {
  return DISPOSITIONS.some((disposition) => disposition === key)
}
