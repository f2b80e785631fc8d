import { expect, it, onTestFinished } from 'vitest'
import { newHome } from '../../../test/support/bough.ts'
import { until } from '../../../test/support/until.ts'
import { startOf, thisProcess } from '../../process-identity.ts'
import { openStore } from '../../store/open.ts'
import { Duty } from './duty.ts'
import { Timekeeper } from './timekeeper.ts'

const nothing = async () => {}

async function newGround() {
  const { data } = await newHome()
  const time = { now: 1_000_000 }
  const store = await openStore(data, () => time.now)
  onTestFinished(() => store.close())
  const partsOf = (pid: number) => {
    const process = { ...thisProcess(), pid, started: startOf(pid) ?? '' }
    return { store, clock: () => time.now, process }
  }
  const keeper = (pid: number) => {
    let looks = 0
    const last = async () => void looks++
    const parts = partsOf(pid)
    const made = new Timekeeper(parts, 5, { own: nothing, kept: [], last })
    onTestFinished(() => made.stop())
    const looked = () => {
      const before = looks
      return until('two looks', () => looks > before + 1)
    }
    return { made, looked }
  }
  // Two that live: this process, and the one that started it.
  return { time, partsOf, first: keeper(process.pid), second: keeper(process.ppid) }
}

it('knows that another process keeps time when that has done so for longer than a lease lasts', async () => {
  const { time, first, second } = await newGround()
  await first.made.start()
  await second.made.start()
  for (const seconds of [0, 7, 7]) {
    time.now += seconds * 1_000
    await Promise.all([first.looked(), second.looked()])
    expect(second.made.isKeptElsewhere).toBe(false)
  }
  time.now += 7_000
  await Promise.all([first.looked(), second.looked()])
  expect([first.made.isKeptElsewhere, second.made.isKeptElsewhere]).toEqual([false, true])
  await first.made.stop()
  await second.looked()
  expect(second.made.isKeptElsewhere).toBe(false)
})

it('keeps time itself where the other one stands still, and is needed then', async () => {
  const { time, partsOf, second } = await newGround()
  expect(await new Duty(partsOf(process.pid), 'time').hold()).toBe(true)
  await second.made.start()
  for (const seconds of [14, 2, 60]) {
    time.now += seconds * 1_000
    await second.looked()
    expect(second.made.isKeptElsewhere).toBe(false)
  }
})
