import { existsSync } from 'node:fs'

/** Which browser the tests of the app run in: the one that CHROMIUM names, or one where Debian and others put it. */

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Null where there is none; then the tests of the app are left out, but for CI, where that is a failure. */
export const CHROMIUM: string | null = process.env.CHROMIUM || (USUAL_PLACES.find((file) => existsSync(file)) ?? null)

/** What a run without a browser does not test; null where there is one. */
export function leftOut(): string | null {
  if (CHROMIUM !== null) return null
  return 'There is no Chromium here, so what the app does in a browser (test/browser) is not tested. CHROMIUM names one.'
}
