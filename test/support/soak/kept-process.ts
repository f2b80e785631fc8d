/** A program that people leave running: it is started again whenever it is gone. */
export interface KeptProcess {
  readonly name: string
  /** It is killed only at first, so that there is something to see of how it grows. */
  readonly growsOld: boolean
  /** Null while it does not run. */
  readonly pid: number | null
  /** How often it was started. */
  readonly starts: number
  start(): void
  /** Resolves with whether it came so far that it can be used. */
  ready(): Promise<boolean>
  signal(signal: NodeJS.Signals): void
  /** By SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** As its person ends it; resolves when it is gone. */
  end(): Promise<void>
}

/** Hears of what must not be. */
export type Complain = (words: string) => void

/** What a process prints only when something went wrong that nobody had thought of. */
export const tracesIn = (printed: string): readonly string[] =>
  /^ +at .+:\d+:\d+\)?$|unhandled|uncaught/im.test(printed) ? [printed.trim().slice(-2_000)] : []
