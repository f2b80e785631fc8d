import type { Context } from './context.ts'
import { LineInput } from './line-input.ts'

/** Asks a person whether to go on; only a clear yes is one. */
export async function confirm({ stdin, err }: Context, question: string): Promise<boolean> {
  const input = LineInput.open(stdin, err.stream)
  const stop = new AbortController()
  try {
    const options = { signal: stop.signal, onInterrupt: () => stop.abort() }
    const answer = await input.ask(`${question} y(es) n(o): `, options)
    return /^y(es)?$/i.test(answer?.trim() ?? '')
  } finally {
    input.close()
  }
}
