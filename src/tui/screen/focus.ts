import type { Terminal } from '@earendil-works/pi-tui'

const cameToFront = '\u001b[I'

/** Tells when the window of a terminal comes to the front. The library asks for that, and keeps it to itself. */
export function onFocus(terminal: Terminal, told: () => void): void {
  const start = terminal.start.bind(terminal)
  terminal.start = (onInput, onResize) => {
    const hear = (data: string): void => {
      if (data === cameToFront) told()
      onInput(data)
    }
    start(hear, onResize)
  }
}
