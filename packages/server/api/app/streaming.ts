import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Answers that are too large to be in memory: written part by part, each made when the one before was taken, and packed for whoever can unpack it. */

/** A reader that takes nothing for so long is cut off. */
const STANDSTILL_MS = 30_000

/** Parts are handed over in pieces of this size, so that it shows whether a slow reader takes anything of one. */
const PIECE_BYTES = 64 * 1024

/** Most of what there is to gain is gained by the least effort. */
const GZIP_LEVEL = 1

/** Sends JSON of these parts. What fails before the first of them is answered as usual. */
export async function sendParts(reply: FastifyReply, parts: AsyncGenerator<string>): Promise<FastifyReply> {
  const { request } = reply
  const first = await parts.next()
  const isPacked = takesGzip(request.headers['accept-encoding'])
  reply.type('application/json; charset=utf-8').header('Vary', 'Accept-Encoding')
  if (isPacked) reply.header('Content-Encoding', 'gzip')
  if (request.method === 'HEAD') return reply.send('')
  const source = Readable.from(piecesOf(first, logged(parts, request), watched(reply)), { objectMode: false, highWaterMark: PIECE_BYTES })
  // Whichever of the two is given up takes the other along; whoever reads sees it by itself.
  return reply.send(isPacked ? pipeline(source, createGzip({ level: GZIP_LEVEL }), () => {}) : source)
}

async function* piecesOf(first: IteratorResult<string>, rest: AsyncGenerator<string>, taken: () => void): AsyncGenerator<Uint8Array> {
  for (let part = first; !part.done; part = await rest.next()) {
    const bytes = Buffer.from(part.value)
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      yield bytes.subarray(from, from + PIECE_BYTES)
      taken()
    }
  }
}

/** What fails here can be told to nobody else: the answer has begun, and breaks off. */
async function* logged(parts: AsyncGenerator<string>, { id, log }: FastifyRequest): AsyncGenerator<string> {
  try {
    yield* parts
  } catch (err) {
    log.error({ err, reqId: id }, 'an answer broke off, since the rest of it could not be made')
    throw err
  }
}

/** Cuts the answer off when nothing of it is taken for too long; what it gives is to be told of each piece that was. */
function watched({ raw }: FastifyReply): () => void {
  let hasTaken = false
  const end = () => clearInterval(watching)
  const watching = setInterval(() => {
    if (!hasTaken) {
      end()
      raw.destroy()
    }
    hasTaken = false
  }, STANDSTILL_MS)
  raw.once('close', end)
  return () => {
    hasTaken = true
  }
}

const NO_GZIP = /(?:^|,)\s*gzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)/i

function takesGzip(header: string | string[] | undefined): boolean {
  const accepted = [header ?? ''].flat().join(',')
  return /(?:^|,)\s*gzip\s*(?:;|,|$)/i.test(accepted) && !NO_GZIP.test(accepted)
}

/** A list as JSON, out of pages of what is JSON already: its first part has the bracket before it, and `after` comes behind the last one. */
export async function* listParts(before: string, pages: AsyncIterable<readonly string[]>, after = ''): AsyncGenerator<string> {
  let separator = `${before}[`
  for await (const page of pages) {
    if (page.length === 0) continue
    yield separator + page.join(',')
    separator = ','
  }
  yield `${separator === ',' ? '' : separator}]${after}`
}

/** Pages of things as pages of their JSON. */
export async function* writtenBy<T>(pages: AsyncIterable<readonly T[]>, write: (thing: T) => object): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.map((thing) => JSON.stringify(write(thing)))
}
