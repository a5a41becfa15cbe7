/** Parts of the app that are fetched when they are wanted, and what becomes of that without a connection, or after an upgrade of the service. */

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/**
 * What `part` fetches. While the service cannot be reached it is waited for: what is shown is not lost for a part of it. Where the service has another build by
 * now, the page begins anew with that.
 * @throws what `part` throws, where it is there to be fetched
 */
export async function fetched<T>(part: () => Promise<T>): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await part()
    } catch {
      const page = await servedPage()
      if (page !== null) return isOfThisBuild(page) || !beginAnew() ? part() : new Promise(() => {})
      await onlineAgain(pause)
    }
  }
}

/** The page as the service has it now; null where it cannot be reached. */
async function servedPage(): Promise<string | null> {
  try {
    const response = await fetch('/', { cache: 'no-store' })
    return response.ok ? await response.text() : null
  } catch {
    return null
  }
}

function isOfThisBuild(page: string): boolean {
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"][src]')
  return entry === null || page.includes(new URL(entry.src).pathname)
}

const BEGAN_AT = 'fivetab.reloaded'
const BEGINNING_PAUSE_MS = 60_000

/** Loads the page anew, unless that was done just now: it would go round and round. Answers whether it does. */
function beginAnew(): boolean {
  if (Date.now() - Number(sessionStorage.getItem(BEGAN_AT)) < BEGINNING_PAUSE_MS) return false
  sessionStorage.setItem(BEGAN_AT, String(Date.now()))
  window.location.reload()
  return true
}

/** Waits so long, or until the browser says that it is connected again. */
function onlineAgain(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      clearTimeout(timer)
      window.removeEventListener('online', goOn)
      resolve()
    }
    const timer = setTimeout(goOn, ms)
    window.addEventListener('online', goOn)
  })
}
