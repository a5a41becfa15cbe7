import { createServer } from 'node:http'

/**
 * The ceiling: node:http that answers a path with the same bytes each time. The answers come on standard input, as JSON: headers and body by path.
 * What a framework, a database and the making of an answer cost is all missing here.
 */
const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk)
const given = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, { headers: Record<string, string>; body: string }>
const answers = new Map(Object.entries(given).map(([path, { headers, body }]) => [path, { headers, bytes: Buffer.from(body) }]))

const server = createServer((request, response) => {
  const answer = answers.get(request.url ?? '')
  response.writeHead(answer === undefined ? 404 : 200, answer?.headers)
  response.end(answer?.bytes)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}`)
})
process.once('SIGTERM', () => process.exit(0))
