import { type DocumentFormat, documentText } from '../../tree/document/document-text.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { findAddress, lineTo } from '../address.ts'
import type { Arguments } from '../arguments.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { Interrupt } from '../interrupt.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { UsageError } from '../usage-error.ts'
import { writeFile } from '../write-file.ts'

export async function run({ args, out, err, open }: Context): Promise<ExitCode> {
  const format = formatOf(args)
  const output = args.value('output')
  const bough = await open()
  const address = await findAddress(bough, args.word('session'))
  let count = 0
  const messages = counted(lineTo(bough, address), () => count++)
  const pieces = documentText(format, address.session, messages, Date.now())
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
function formatOf(args: Arguments): DocumentFormat {
  const asked = args.value('format')
  if (asked !== undefined && asked !== 'md' && asked !== 'json')
    throw new UsageError(`--format must be md or json, not "${asked}".`)
  if (!args.flag('json')) return asked ?? (/\.json$/i.test(args.value('output') ?? '') ? 'json' : 'md')
  if (asked === 'md') throw new UsageError('--json and --format md are two different things. Name one.')
  return 'json'
}

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
