import { storeOf, useStore } from '../client/store.ts'

/** What has changed, for those who hear the page and did not see it. */

const announced = storeOf('')

export function announce(text: string): void {
  // The same words once more are news all the same.
  announced.set((before) => (before === text ? `${text}\u00a0` : text))
}

export function Announcer() {
  return (
    // An open dialog makes the rest of the page inert, but for what is marked so.
    <div role="status" className="unseen" data-live-announcer="true">
      {useStore(announced)}
    </div>
  )
}
