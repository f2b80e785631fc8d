import { describe, expect, it } from 'vitest'
import { linesOnly } from '../screen/frame.ts'
import { Screen } from '../screen/screen.ts'
import { VirtualTerminal } from '../testing/virtual-terminal.ts'
import { Curtain } from './curtain.ts'

describe('before there is anything to show', () => {
  it('one line says what goes on, and what is typed meanwhile is not lost', async () => {
    const terminal = new VirtualTerminal(40, 5)
    const curtain = new Curtain()
    const screen = Screen.open(terminal, curtain)
    curtain.say('making the demo')
    screen.redraw()
    await expect.poll(async () => (await terminal.lines())[0]).toBe(' making the demo …')
    const keys: string[] = []
    terminal.type('h')
    terminal.type('i')
    curtain.rise({ draw: () => linesOnly('there'), key: (data) => void keys.push(data), wheel: () => {} })
    terminal.type('!')
    expect(keys).toEqual(['h', 'i', '!'])
    screen.redraw()
    await expect.poll(async () => (await terminal.lines())[0]).toBe('there')
    screen.close()
    expect(terminal.isStarted).toBe(false)
  })

  it('what is shown then hears when its window comes to the front, and when another does', () => {
    const terminal = new VirtualTerminal(40, 5)
    const curtain = new Curtain()
    const screen = Screen.open(terminal, curtain)
    terminal.type('\u001b[I')
    const heard: string[] = []
    curtain.rise({
      ...{ draw: () => linesOnly('there'), key: () => {}, wheel: () => {} },
      focused: () => void heard.push('in front'),
      blurred: () => void heard.push('behind'),
    })
    terminal.type('\u001b[O')
    terminal.type('\u001b[I')
    expect(heard).toEqual(['behind', 'in front'])
    screen.close()
  })

  it('Ctrl+C gives up', async () => {
    const terminal = new VirtualTerminal(40, 5)
    const curtain = new Curtain()
    const screen = Screen.open(terminal, curtain)
    terminal.type('\u0003')
    await curtain.givenUp
    screen.close()
  })
})

describe('Ctrl+Z', () => {
  it('gives the terminal back, stops, and takes it again', async () => {
    const terminal = new VirtualTerminal(40, 5)
    const stops: boolean[] = []
    const screen = Screen.open(terminal, new Curtain(), { stop: () => stops.push(terminal.isStarted) })
    screen.suspend()
    screen.suspend()
    screen.retake()
    expect(stops).toEqual([false])
    await expect.poll(() => terminal.isStarted).toBe(true)
    screen.retake()
    expect(terminal.isStarted).toBe(true)
    screen.close()
    screen.suspend()
    expect([stops, terminal.isStarted]).toEqual([[false], false])
  })
})
