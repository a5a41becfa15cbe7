import { chooseTheme, THEMES, useTheme } from '../../client/theme.ts'
import { Choices } from '../../components/choices.tsx'
import { Section } from '../../components/section.tsx'
import { chooseLanguage, LANGUAGES, useChosenLanguage, useTexts } from '../../texts/texts.tsx'

const OF_BROWSER = 'browser'

export function Appearance() {
  const { account } = useTexts().settings
  const language = useChosenLanguage() ?? OF_BROWSER
  const theme = useTheme()
  return (
    <Section title={account.appearance} about={account.appearanceAbout}>
      <Choices
        label={account.language}
        value={language}
        choices={[
          { value: OF_BROWSER, label: account.languageOfBrowser },
          ...LANGUAGES.map((one) => ({ value: one, label: ownNameOf(one), lang: one })),
        ]}
        onChoose={(chosen) => chooseLanguage(LANGUAGES.find((one) => one === chosen) ?? null)}
      />
      <Choices
        label={account.theme}
        value={theme}
        choices={THEMES.map((one) => ({ value: one, label: account.themes[one] }))}
        onChoose={chooseTheme}
      />
    </Section>
  )
}

/** What those who speak a language call it. */
function ownNameOf(language: string): string {
  return new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
}
