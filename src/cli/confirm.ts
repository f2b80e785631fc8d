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
export async function confirm(context: Context, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askOnce(context, `${question} y(es) n(o): `)).trim())
}

/** One line of a person's; empty where they gave none. */
export async function askOnce({ stdin, err }: Context, question: string): Promise<string> {
  const input = LineInput.open(stdin, err.stream)
  const stop = new AbortController()
  try {
    const options = { signal: stop.signal, onInterrupt: () => stop.abort() }
    return (await input.ask(question, options)) ?? ''
  } finally {
    input.close()
  }
}
