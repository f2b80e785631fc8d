import type { Bough } from '../bough.ts'
import type { SessionID } from '../tree/ids.ts'
import { failureOf } from './failure.ts'
import type { Output } from './output.ts'

/** Interrupts what runs in a session when the signal comes. Where that fails the person is told, and what they watch goes on. */
export function abortOn(
  signal: AbortSignal,
  { err, env }: { readonly err: Pick<Output, 'line'>; readonly env: NodeJS.ProcessEnv },
  bough: Pick<Bough, 'abort'>,
  id: SessionID,
): void {
  const abort = (): void => {
    bough.abort(id).catch((error) => err.line(failureOf(error, env).line))
  }
  signal.addEventListener('abort', abort, { once: true })
}
