import type { Api } from './api.ts'

/** Whether the service can do its work, asked by whoever decides to send it requests. */
export interface Readiness {
  /** What is not as it should be, in words; empty when the service is ready. */
  missing(): Promise<string[]>
}

/** `/healthz` says that the process is alive, `/readyz` that it can work. Neither needs a token. */
export function probeRoutes(app: Api, readiness: Readiness): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const missing = await readiness.missing()
    return missing.length === 0 ? { status: 'ready' } : reply.status(503).send({ status: 'not ready', missing })
  })
}
