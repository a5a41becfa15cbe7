import { isIP } from 'node:net'
import { buildConnector } from 'undici'
import { withoutBrackets } from './addresses.ts'
import { type Destinations, notPublic } from './destinations.ts'

/** With less, an address that is merely far away is given up for the next one of its name, down to the last. */
const ADDRESS_TIMEOUT_MS = 2_000

/**
 * Makes connections for undici, each of them to an address that is allowed. A host that is an address is never looked up, so it is looked at here;
 * a name by `destinations.lookup`; and whatever became of either, the socket says in the end where it leads, before a request is written to it.
 *
 * @param timeoutMs for one connection
 * @param closing ends also the connections that are still being made
 */
export function connectorTo(destinations: Destinations, timeoutMs: number, closing: AbortSignal): buildConnector.connector {
  const connect = buildConnector({
    lookup: destinations.lookup,
    timeout: timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    signal: closing,
    allowH2: false,
  })
  return (options, callback) => {
    const host = withoutBrackets(options.hostname)
    const refused = new Error(notPublic(host))
    if (isIP(host) !== 0 && !destinations.allows(host)) {
      process.nextTick(callback, refused, null)
      return
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      if (destinations.allows(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      callback(refused, null)
    })
  }
}
