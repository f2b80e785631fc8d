import type { Screen } from '../screen/screen.ts'

// The library gives the terminal back only when it is stopped: a crash or a signal would leave it raw.
//
//   a signal ─────────────▶ the terminal is given back ──▶ the program ends by itself; a second signal ends it at once
//   an error nobody took ─▶ the terminal is given back ──▶ the program ends with it
//   process.exit ─────────▶ the terminal is given back

export type WayOut =
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'crash'; readonly error: unknown }

export interface WaysOut {
  /** Resolves when somebody or something ends the program. */
  readonly taken: Promise<WayOut>
  /** Nothing is watched any more. */
  stop(): void
}

const signals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const

/** Milliseconds until a program that crashed ends, whatever still goes on. */
const lastWords = 3_000

export function watchWaysOut(screen: Screen): WaysOut {
  const { promise, resolve } = Promise.withResolvers<WayOut>()
  const close = (): void => screen.close()
  const end = (signal: NodeJS.Signals): void => {
    close()
    for (const each of signals) process.off(each, end)
    resolve({ kind: 'signal', signal })
  }
  const crash = (error: unknown): void => {
    close()
    setTimeout(() => process.exit(1), lastWords).unref()
    resolve({ kind: 'crash', error })
  }
  const retake = (): void => screen.retake()
  for (const signal of signals) process.on(signal, end)
  process.on('SIGCONT', retake)
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  process.on('exit', close)
  return {
    taken: promise,
    stop() {
      for (const signal of signals) process.off(signal, end)
      process.off('SIGCONT', retake)
      process.off('uncaughtException', crash)
      process.off('unhandledRejection', crash)
      process.off('exit', close)
    },
  }
}
