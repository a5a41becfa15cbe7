import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { fetched } from '../client/parts.ts'
import { storeOf, useStore } from '../client/store.ts'
import { en, type Texts } from './en.ts'

/** Which language the app speaks, and its catalogue. English comes with the page, others when they are wanted. */

export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

const CATALOGUES: Record<Language, () => Promise<Texts>> = {
  en: async () => en,
  de: async () => (await fetched(() => import('./de.ts'))).de,
}

const STORED_AS = 'fivetab.language'

/** What the person has chosen on this device; null for what the browser asks for. */
const chosen = storeOf<Language | null>(known(localStorage.getItem(STORED_AS)))

export function chooseLanguage(language: Language | null): void {
  if (language === null) localStorage.removeItem(STORED_AS)
  else localStorage.setItem(STORED_AS, language)
  chosen.set(() => language)
}

export function useChosenLanguage(): Language | null {
  return useStore(chosen)
}

function known(name: string | null): Language | null {
  return LANGUAGES.find((language) => language === name) ?? null
}

function wanted(choice: Language | null): Language {
  return choice ?? navigator.languages.map((tag) => known(tag.slice(0, 2))).find((language) => language !== null) ?? 'en'
}

interface Spoken {
  language: Language
  texts: Texts
}

const TextsContext = createContext<Spoken>({ language: 'en', texts: en })

export function TextsProvider({ children }: { children: ReactNode }) {
  const language = wanted(useChosenLanguage())
  const [spoken, setSpoken] = useState<Spoken | null>(language === 'en' ? { language, texts: en } : null)
  useEffect(() => {
    let isWanted = true
    void CATALOGUES[language]().then((texts) => {
      if (isWanted) setSpoken({ language, texts })
    })
    document.documentElement.lang = language
    return () => {
      isWanted = false
    }
  }, [language])
  return spoken && <TextsContext value={spoken}>{children}</TextsContext>
}

export function useTexts(): Texts {
  return useContext(TextsContext).texts
}

export function useLanguage(): Language {
  return useContext(TextsContext).language
}
