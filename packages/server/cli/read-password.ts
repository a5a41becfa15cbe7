import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure } from '@fivetab/domain/failure.ts'

/**
 * A password for a command: the first line of the standard input. On a terminal it is asked for twice, and what is typed is not shown. As a word of
 * the command line it would stand in the shell's history and in the list of processes.
 * @throws Failure `invalid_request` when there is none, or the two differ
 */
export async function readPassword(): Promise<string> {
  const { stdin } = process
  // On a terminal nothing is echoed from here on, so that it comes before anything is asked.
  const lines = createInterface({ input: stdin, ...(stdin.isTTY && { output: nowhere(), terminal: true, historySize: 0 }) })
  try {
    return await (stdin.isTTY ? typedTwice(lines) : nextLine(lines))
  } finally {
    lines.close()
    // Whoever writes into a pipe may keep it open, which is nothing to wait for.
    stdin.destroy()
  }
}

async function typedTwice(lines: Interface): Promise<string> {
  const password = await typed(lines, 'Password: ')
  if ((await typed(lines, 'The same again: ')) !== password) throw new Failure('invalid_request', 'The two are not the same.')
  return password
}

async function typed(lines: Interface, prompt: string): Promise<string> {
  process.stderr.write(prompt)
  try {
    return await nextLine(lines)
  } finally {
    process.stderr.write('\n')
  }
}

/** @throws Failure `invalid_request` at the end of the input, which Ctrl+C and Ctrl+D are too */
function nextLine(lines: Interface): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('close', () => reject(new Failure('invalid_request', 'No password was given.')))
  })
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
