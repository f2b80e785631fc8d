import type { Message } from '../../tree/message.ts'
import { type Address, findAddress, lineTo } from '../address.ts'
import type { Arguments } from '../arguments.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { jsonDocument } from '../export/json-document.ts'
import { markdownDocument } from '../export/markdown-document.ts'
import { writeFile } from '../export/write-file.ts'
import { Interrupt } from '../interrupt.ts'
import type { Output } from '../output.ts'
import { plainLine } from '../plain-text.ts'
import { withProgress } from '../progress.ts'
import { UsageError } from '../usage-error.ts'

type Format = 'md' | 'json'

export async function run({ args, out, err, open }: Context): Promise<ExitCode> {
  const format = formatOf(args)
  const output = args.value('output')
  const bough = await open()
  const address = await findAddress(bough, args.word('session'))
  let count = 0
  const messages = counted(lineTo(bough, address), () => count++)
  const pieces = piecesOf(format, address, messages)
  if (output === undefined || output === '-') {
    await print(out, pieces)
    return 0
  }
  const interrupt = Interrupt.listen()
  try {
    await withProgress(err, 'exporting', writeFile(output, until(interrupt.signal, pieces)))
  } catch (error) {
    if (interrupt.exitCode === null) throw error
    err.line('bough: interrupted; nothing was written.')
    return interrupt.exitCode
  } finally {
    interrupt.stop()
  }
  err.line(`bough: wrote ${count === 1 ? '1 message' : `${count} messages`} to ${plainLine(output)}`)
  return 0
}

// As it is asked for, else as the file's name says.
function formatOf(args: Arguments): Format {
  const asked = args.value('format')
  if (asked !== undefined && asked !== 'md' && asked !== 'json')
    throw new UsageError(`--format must be md or json, not "${asked}".`)
  if (!args.flag('json')) return asked ?? (/\.json$/i.test(args.value('output') ?? '') ? 'json' : 'md')
  if (asked === 'md') throw new UsageError('--json and --format md are two different things. Name one.')
  return 'json'
}

const piecesOf = (
  format: Format,
  { session }: Address,
  messages: AsyncIterable<Message>,
): AsyncIterable<string> =>
  format === 'json' ? jsonDocument(session, messages, Date.now()) : markdownDocument(session, messages)

async function print(out: Output, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (out.closed) return
    out.write(piece)
    await out.drained()
  }
}

async function* counted<T>(items: AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  for await (const item of items) {
    count()
    yield item
  }
}

async function* until<T>(signal: AbortSignal, items: AsyncIterable<T>): AsyncIterable<T> {
  for await (const item of items) {
    signal.throwIfAborted()
    yield item
  }
}
