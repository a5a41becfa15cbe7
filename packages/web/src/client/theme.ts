import { storeOf, useStore } from './store.ts'

/** Light or dark, as the person chose on this device, or as the system has it. */

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const STORED_AS = 'fivetab.theme'

const chosen = storeOf<Theme>(THEMES.find((theme) => theme === localStorage.getItem(STORED_AS)) ?? 'system')

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORED_AS, theme)
  chosen.set(() => theme)
  showTheme()
}

/** Puts the theme on the page; the rest is CSS. */
export function showTheme(): void {
  const theme = chosen.get()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function useTheme(): Theme {
  return useStore(chosen)
}
