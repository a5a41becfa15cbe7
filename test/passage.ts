import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a server that a test can cut or block, as a network does. */
export interface Passage extends AsyncDisposable {
  port: number
  /** How many connections go through it. */
  count(): number
  /** Breaks off every connection. */
  cut(): void
  /** From here on nothing gets through, and nobody is told. */
  block(): void
}

/** Opens a way to the server on this port of 127.0.0.1. */
export async function openPassage(to: number): Promise<Passage> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isBlocked = false
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true })
    const pair = [near, far] as const
    pairs.add(pair)
    if (isBlocked) stop(pair)
    else for (const [index, socket] of pair.entries()) socket.pipe(pair[1 - index] as Socket)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        for (const one of pair) one.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy()
  }
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    count: () => pairs.size,
    cut,
    block: () => {
      isBlocked = true
      pairs.forEach(stop)
    },
    [Symbol.asyncDispose]: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

function stop(pair: readonly [Socket, Socket]): void {
  for (const socket of pair) socket.unpipe().pause()
}
