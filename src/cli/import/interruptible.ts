import { Interrupt } from '../interrupt.ts'

/** The person has stopped an import. */
export class Interrupted extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super('interrupted')
    this.exitCode = exitCode
  }
}

/** Does something that Ctrl-C gives up, and tells so by rejecting with `Interrupted`. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupt = Interrupt.listen()
  try {
    return await work(interrupt.signal)
  } catch (error) {
    if (interrupt.exitCode === null) throw error
    throw new Interrupted(interrupt.exitCode)
  } finally {
    interrupt.stop()
  }
}
