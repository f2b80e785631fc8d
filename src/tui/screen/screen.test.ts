import { expect, it, onTestFinished } from 'vitest'
import { VirtualTerminal } from '../testing/virtual-terminal.ts'
import { linesOnly } from './frame.ts'
import { Screen } from './screen.ts'

it('draws words that come after a while at once, without a warning of Node about the time it waits', async () => {
  const warnings: string[] = []
  const hear = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', hear)
  onTestFinished(() => void process.off('warning', hear))
  const terminal = new VirtualTerminal(40, 5)
  let words = 'leek'
  const screen = Screen.open(terminal, { draw: () => linesOnly(words), key: () => {}, wheel: () => {} })
  onTestFinished(() => screen.close())
  // Nothing was drawn yet, or long ago.
  screen.redrawSoon()
  await screen.drawn()
  words = 'leek and dill'
  screen.redrawSoon()
  await expect.poll(async () => (await terminal.lines())[0]).toBe('leek and dill')
  expect(warnings).toEqual([])
})
