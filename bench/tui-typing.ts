import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pty } from '../scripts/pty.ts'
import type { Row } from './row.ts'
import { quantile } from './server-quantile.ts'

const perSecond = 500
const seconds = 10
/** Not a letter of what streams. They all fit in one line, so that the n-th is there when n of them stand side by side. */
const letter = 'Q'
const letters = 100

/** Types while an agent talks; `start` opens the terminal UI with an agent that talks as fast and as long as that. */
export async function typing(
  start: (perSecond: number, seconds: number) => Promise<Pty>,
): Promise<readonly Row[]> {
  // Longer than it is looked at: it must not end meanwhile.
  const pty = await start(perSecond, seconds * 2)
  try {
    pty.type('Tell me all.')
    await pty.writes(['Tell me all.'])
    pty.type('\r')
    await pty.writes([/n\d{3,} /])
    const before = { at: performance.now(), said: saidIn(pty), computed: await computed(pty.pid) }
    const echoes = await typeLetters(pty)
    const took = performance.now() - before.at
    const share = ((await computed(pty.pid)) - before.computed) / took
    const pace = ((saidIn(pty) - before.said) / took) * 1000
    if (!(pace > perSecond * 0.9))
      throw new Error(`Only ${pace.toFixed(0)} tokens a second came to the screen.`)
    return [
      {
        kind: 'bound',
        what: `key to screen, while ${perSecond} tokens/s stream`,
        unit: 'ms',
        measured: quantile(echoes, 0.5),
        spread: [quantile(echoes, 0.25), quantile(echoes, 0.75)],
        limit: 10,
      },
      { kind: 'fact', what: '  p95', unit: 'ms', measured: quantile(echoes, 0.95) },
      { kind: 'fact', what: '  the longest', unit: 'ms', measured: Math.max(...echoes) },
      { kind: 'bound', what: '  share of a core', unit: '%', measured: share * 100, limit: 20 },
      { kind: 'fact', what: '  memory', unit: 'MB', measured: await memory(pty.pid) },
    ]
  } finally {
    await pty.stop()
  }
}

/** How long each took to be on the screen. */
async function typeLetters(pty: Pty): Promise<readonly number[]> {
  const begun = performance.now()
  const times: number[] = []
  for (let typed = 1; typed <= letters; typed++) {
    // At times that have nothing to do with those of the frames.
    const due = begun + ((typed - Math.random()) * seconds * 1000) / letters
    if (due > performance.now()) await pause(due - performance.now())
    const from = pty.written.length
    const pressed = performance.now()
    pty.type(letter)
    await pty.writes([letter.repeat(typed)], from)
    times.push(performance.now() - pressed)
  }
  return times
}

/** How many tokens have come to the screen, as it says itself. */
const saidIn = ({ written }: Pty): number =>
  Math.max(
    ...written
      .slice(-100_000)
      .matchAll(/n(\d+) /g)
      .map(([, said]) => Number(said)),
  )

// The next two know Linux only. A tick of the processor's time is 10 ms.

async function computed(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

async function memory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / 1e6
}
