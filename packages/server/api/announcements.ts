import type { FastifyInstance } from 'fastify'

/**
 * Announces the end of this major version on every response of its operations: `Deprecation` (RFC 9745) from when it is, or will be, deprecated, and `Sunset`
 * (RFC 8594) for when it stops. Both ms since the epoch, null for nothing to announce.
 */
export function announcements(v1: Pick<FastifyInstance, 'addHook'>, deprecation: number | null, sunset: number | null): void {
  const headers: Record<string, string> = {}
  if (deprecation !== null) headers.Deprecation = `@${Math.floor(deprecation / 1000)}`
  if (sunset !== null) headers.Sunset = new Date(sunset).toUTCString()
  if (Object.keys(headers).length === 0) return
  // As an answer is sent: some are made before a request comes to the hooks of `v1`.
  v1.addHook('onSend', async (_request, reply) => {
    reply.headers(headers)
  })
}
