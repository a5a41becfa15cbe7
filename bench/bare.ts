import { createServer } from 'node:http'

/** The ceiling: node:http that answers every request with the same bytes. They come on standard input, as JSON: headers and body. */
const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk)
const { headers, body } = JSON.parse(Buffer.concat(chunks).toString()) as { headers: Record<string, string>; body: string }
const bytes = Buffer.from(body)

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(bytes)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}`)
})
process.once('SIGTERM', () => process.exit(0))
