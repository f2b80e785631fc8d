import globalConsole from 'node:console'

/** What anything below writes to the terminal would tear the screen. It is kept, and told afterwards. */
export interface Quiet {
  /** Lets everything write again, and writes what came meanwhile. */
  end(): void
}

/** So much of it is worth telling. */
const most = 20

const methods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const

export function keepQuiet(): Quiet {
  const { stderr } = process
  const heard: string[] = []
  // A line that is not finished is one that shows progress: there is nobody to see it.
  const hear = (text: string): void => {
    if (text.endsWith('\n') && heard.length < most) heard.push(text)
  }
  const write = stderr.write
  // Its forms differ only in who is told when it is written.
  stderr.write = (text: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    hear(typeof text === 'string' ? text : Buffer.from(text).toString())
    for (const each of rest) if (typeof each === 'function') each()
    return true
  }
  const before = methods.map((name) => [name, globalConsole[name]] as const)
  for (const name of methods)
    globalConsole[name] = (...words: readonly unknown[]) => hear(`${words.map(String).join(' ')}\n`)
  // Node writes warnings past the stream.
  const warned = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', hearWarning)
  function hearWarning({ name, message }: Error): void {
    if (name !== 'ExperimentalWarning') hear(`${name}: ${message}\n`)
  }
  let isOver = false
  return {
    end() {
      if (isOver) return
      isOver = true
      stderr.write = write
      for (const [name, method] of before) globalConsole[name] = method
      process.off('warning', hearWarning)
      for (const listener of warned) process.on('warning', listener)
      for (const line of heard) stderr.write(line)
    },
  }
}
