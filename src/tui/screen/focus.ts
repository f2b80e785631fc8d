import type { Terminal } from '@earendil-works/pi-tui'

const cameToFront = '\u001b[I'
const leftFront = '\u001b[O'

/** Tells when the window of a terminal comes to the front, or another one does. The library asks for that, and keeps it to itself. */
export function onFocus(terminal: Terminal, told: (isInFront: boolean) => void): void {
  const start = terminal.start.bind(terminal)
  terminal.start = (onInput, onResize) => {
    const hear = (data: string): void => {
      if (data === cameToFront || data === leftFront) told(data === cameToFront)
      onInput(data)
    }
    start(hear, onResize)
  }
}
