import { setTimeout as pause } from 'node:timers/promises'
import type { Pty } from '../scripts/pty.ts'
import type { Row } from './row.ts'
import { quantile } from './server-quantile.ts'

/** The library ends every frame with it. */
const frameEnds = '\u001b[?2026l'
const rounds = 40

/** Walks through the session tree; `start` opens the terminal UI with so many sessions. */
export async function walking(start: () => Promise<Pty>, sessions: number): Promise<readonly Row[]> {
  const pty = await start()
  try {
    const opened = performance.now()
    pty.type(ctrlT)
    await pty.writes([`${sessions} sessions`])
    const opening = performance.now() - opened
    const steps = await pressing(pty, [down, down, pageDown, up])
    const folds = await pressing(pty, ['z', 'z'])
    pty.type('/')
    const finds = await pressing(pty, ['f', 'o', 'r', 'k', backspace, backspace, backspace, backspace])
    const bound = (what: string, times: readonly number[], limit = 10): Row => ({
      ...{ kind: 'bound', what, unit: 'ms', limit },
      measured: quantile(times, 0.5),
      spread: [quantile(times, 0.25), quantile(times, 0.75)],
    })
    return [
      bound(`key to screen, in the tree of ${sessions.toLocaleString('en')} sessions`, steps),
      bound('  folding all, or none', folds, 20),
      bound('  a letter of what is looked for', finds),
      { kind: 'fact', what: '  opening it', unit: 'ms', measured: opening },
    ]
  } finally {
    await pty.stop()
  }
}

const ctrlT = '\u0014'
const up = '\u001b[A'
const down = '\u001b[B'
const pageDown = '\u001b[6~'
const backspace = '\u007f'

/** How long each took to be on the screen. */
async function pressing(pty: Pty, keys: readonly string[]): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    for (const key of keys) {
      // What was said in the selected session comes a moment later.
      await pause(60)
      const from = pty.written.length
      const pressed = performance.now()
      pty.type(key)
      await pty.writes([frameEnds], from)
      times.push(performance.now() - pressed)
    }
  }
  return times
}
