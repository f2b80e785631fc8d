// `npm run soak -- --minutes 20 [--seed N]`: all front ends at once on one home, with people who do anything at any time, and
// with processes that are killed, held and started again. Prints what it measured and what is broken; then it ends with 1.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { drawVerdict } from '../test/support/soak/figures.ts'
import { soak } from '../test/support/soak/soak.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '20' }, seed: { type: 'string' } },
})
const seconds = Number(values.minutes) * 60
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error('It is: npm run soak -- --minutes 20 --seed 7')

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

const directory = await mkdtemp(join(tmpdir(), 'bough-soak-'))
// Terminals leave their sockets behind.
process.env.TMPDIR = directory
const program = join(directory, 'program')
try {
  console.log(`Seed ${seed}, ${values.minutes} minutes.`)
  // What is published, and not the sources.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'build.ts'), program])
  const verdict = await soak({
    seconds,
    seed,
    launcher: join(program, 'bin', 'bough.js'),
    log: (line) => console.log(line),
    signal: stopping.signal,
  })
  for (const line of drawVerdict(verdict)) console.log(line)
  if (verdict.broken.length > 0) process.exitCode = 1
} catch (error) {
  if (stopping.signal.aborted) console.log('Stopped.')
  else console.error(error)
  process.exitCode = stopping.signal.aborted ? 130 : 1
} finally {
  if (process.exitCode === 1) console.log(`What it left is in ${directory}.`)
  else await rm(directory, { recursive: true, force: true, maxRetries: 5 })
}
// A person who is in the middle of something would keep it from ending.
process.exit()
