// For the launcher: gives the terminal back after a program that was killed and could not do it.
import { spawnSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'

/** What the terminal UI and the chat turn on, turned off: reports of the mouse and of focus, paste marks, keyboard protocols. */
const modesOff = ['?1000l', '?1002l', '?1003l', '?1006l', '?1004l', '?2004l', '>4;0m', '<u', '?25h']

/** With the title. Only for the terminal UI: on the usual screen it would move the cursor. */
const leaveAlternateScreen = ['?1049l', '23;2t']

/** How the terminal edits and echoes lines now; null without a terminal. */
export const terminalModes = () => (isatty(0) && isatty(1) ? stty('-g') : null)

export function restoreTerminal(modes, { hadWholeScreen }) {
  stty(modes)
  const sequences = hadWholeScreen ? [...modesOff, ...leaveAlternateScreen] : modesOff
  try {
    writeSync(1, sequences.map((each) => `\u001b[${each}`).join(''))
  } catch {
    // The terminal is gone.
  }
}

const stty = (argument) =>
  spawnSync('stty', [argument], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' }).stdout?.trim() ||
  'sane'
