import { isIP, isIPv6, type LookupFunction } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FieldProblemCode } from '@fivetab/domain/failure.ts'
import { isAllowed, rangeOf, withoutBrackets } from './addresses.ts'
import { LOCALHOST, type Names, openNames, unresolved } from './names.ts'

/** What is wrong with a URL, for the person who gave it. */
interface UrlFault {
  code: FieldProblemCode
  detail: string
}

/** Where requests may go: over HTTP, to public addresses and those that the operator allows. */
export interface Destinations {
  /** What is wrong with `url` by its text alone; null for nothing. No network is needed. */
  faultOf(url: string): UrlFault | null
  /**
   * Why requests may not be sent to `url`; null when nothing is known against it. Its name is resolved, for 1.5 s at most; one that cannot be resolved
   * now is not refused, since whatever it leads to is looked at again with each connection.
   */
  refusal(url: string): Promise<UrlFault | null>
  /** A `lookup` for sockets. It fails when any address of the name is not allowed, so that nobody gets through by asking often. */
  lookup: LookupFunction
  /** Whether an IP address may be connected to. */
  allows(address: string): boolean
  /** Gives up what is being resolved. */
  close(): void
}

const MAX_URL_LENGTH = 2_048
/** A person waits for it. */
const PATIENCE_MS = 1_500

/** @throws Error when one of `allowedRanges` is no range (such as `10.0.0.0/8`, `fd00::/8` or one address) */
export function openDestinations(
  allowedRanges: readonly string[],
  names: Names = openNames(),
  patienceMs: number = PATIENCE_MS,
): Destinations {
  const ranges = allowedRanges.map((text) => {
    const range = rangeOf(text)
    if (range === undefined) throw new Error(`${text} is no range of IP addresses.`)
    return range
  })
  const allows = (address: string) => isAllowed(address, ranges)

  /** What a name may be reached at; null when any of its addresses is not allowed. `localhost` has two by definition, and either is enough. */
  function allowedOf(name: string, addresses: readonly string[]): readonly string[] | null {
    const allowed = addresses.filter(allows)
    const isEnough = allowed.length === addresses.length || (LOCALHOST.test(name) && allowed.length > 0)
    return isEnough ? allowed : null
  }

  function faultOf(url: string): UrlFault | null {
    if (url.length > MAX_URL_LENGTH) return { code: 'too_long', detail: `The URL must have at most ${MAX_URL_LENGTH} characters.` }
    // Every spelling of an IPv4 address (decimal, octal, hexadecimal, short, in other scripts) is one in what comes out of here.
    const parsed = /[\s\p{Cc}]/u.test(url) ? null : URL.parse(url)
    if (parsed === null) return { code: 'invalid_format', detail: 'The URL must be a whole one, such as https://example.org/hooks.' }
    if (!/^https?:$/.test(parsed.protocol)) return { code: 'invalid_value', detail: 'The URL must begin with https:// or http://.' }
    if (parsed.username !== '' || parsed.password !== '') {
      return { code: 'invalid_format', detail: 'The URL must be without a user name and a password.' }
    }
    if (parsed.href.includes('#')) return { code: 'invalid_format', detail: 'The URL must be without a fragment (#), which is never sent.' }
    const host = hostOf(parsed)
    return isIP(host) !== 0 && !allows(host) ? notPublicFault(host) : null
  }

  return {
    faultOf,
    refusal: async (url) => {
      const fault = faultOf(url)
      if (fault !== null) return fault
      const host = hostOf(new URL(url))
      if (isIP(host) !== 0) return null
      const resolved = names.addressesOf(host).catch(() => [])
      const addresses = await Promise.race([resolved, wait(patienceMs, [], { ref: false })])
      return allowedOf(host, addresses) === null ? notPublicFault(host) : null
    },
    lookup: (name, { all, family }, callback) => {
      const answer = async () => {
        const addresses = allowedOf(name, await names.addressesOf(name))
        if (addresses === null) throw new Error(notPublic(name))
        const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
        const wanted = found.filter((one) => !family || one.family === family || `IPv${one.family}` === family)
        if (wanted[0] === undefined) throw unresolved(name)
        return { wanted, first: wanted[0] }
      }
      answer().then(
        ({ wanted, first }) => (all ? callback(null, wanted) : callback(null, first.address, first.family)),
        (error) => callback(error, []),
      )
    },
    allows,
    close: () => names.close(),
  }
}

/** Says of a name no more than that: which addresses names have inside is nobody's business outside. */
export function notPublic(host: string): string {
  return isIP(host) === 0 ? `The name ${host} leads to an address that is not public.` : `The address ${host} is not public.`
}

function notPublicFault(host: string): UrlFault {
  return { code: 'invalid_value', detail: `${notPublic(host)} Only public addresses can be reached; the operator can allow others.` }
}

function hostOf(url: URL): string {
  return withoutBrackets(url.hostname)
}
