import { expect, test } from 'vitest'
import { launcher } from '../support/run-bough.ts'
import { seed } from '../support/size.ts'
import { drawVerdict } from '../support/soak/figures.ts'
import { soak } from '../support/soak/soak.ts'

// The same for longer, which also shows whether memory grows: `npm run soak -- --minutes 20`.
const seconds = Number(process.env.BOUGH_SOAK_SECONDS ?? 120)

test('all front ends at once, with forks, runs, kills and restarts: nothing is lost, nothing comes twice, nothing is left', {
  timeout: seconds * 1_000 + 300_000,
}, async () => {
  const lines: string[] = []
  const verdict = await soak({ seconds, seed: seed(), launcher, log: (line) => lines.push(line) })
  console.log([...lines, ...drawVerdict(verdict)].join('\n'))
  expect(verdict.broken).toEqual([])
  // It is only worth something when much went on.
  expect(verdict.samples.at(-1)?.messages).toBeGreaterThan(seconds / 2)
  const harms = [...verdict.harms.values()]
  expect(harms.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThan(0)
})
