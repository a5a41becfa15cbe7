import type { ReactNode } from 'react'
import { SelectField } from '../../components/field.tsx'
import { chooseLanguage, LANGUAGES, useLanguage, useTexts } from '../../texts/texts.tsx'
import styles from './entrance.module.css'

/** What the pages have around them that are seen without being signed in. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={styles.entrance}>
      <title>{`${title} · Fivetab`}</title>
      <main className={styles.card}>
        <div className={styles.brand}>
          <img src="/icons/icon.svg" alt="" width="40" height="40" />
          <span>Fivetab</span>
        </div>
        <h1>{title}</h1>
        {children}
      </main>
      <footer className={styles.foot}>
        <LanguageChoice />
      </footer>
    </div>
  )
}

function LanguageChoice() {
  const { signIn } = useTexts()
  return (
    <SelectField
      label={signIn.language}
      isLabelUnseen
      value={useLanguage()}
      onChange={({ target }) => chooseLanguage(LANGUAGES.find((language) => language === target.value) ?? null)}
    >
      {LANGUAGES.map((language) => (
        <option key={language} value={language} lang={language}>
          {new Intl.DisplayNames(language, { type: 'language' }).of(language)}
        </option>
      ))}
    </SelectField>
  )
}

/** What one should know who cannot go on with the form alone. */
export function Aside({ children }: { children: ReactNode }) {
  return <div className={styles.aside}>{children}</div>
}
