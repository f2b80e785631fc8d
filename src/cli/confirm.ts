import type { Context } from './context.ts'
import { LineInput } from './line-input.ts'
import { UsageError } from './usage-error.ts'

/** Whether to do what cannot be undone easily: --yes says so, else a person is asked. Throws where nobody can be. */
export async function agreed(context: Context, question: string): Promise<boolean> {
  if (context.args.flag('yes')) return true
  if (!context.interactive)
    throw new UsageError('There is no terminal to ask at, so nothing was changed. Add --yes to go ahead.')
  return confirm(context, question)
}

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
