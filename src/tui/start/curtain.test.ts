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

  it.each([
    ['Ctrl+C', '\u0003', '\u001b[99;5u', '\u001b[27;5;99~'],
    ['Ctrl+D', '\u0004', '\u001b[100;5u', '\u001b[27;5;100~'],
    ['Ctrl+Q', '\u0011', '\u001b[113;5u', '\u001b[27;5;113~'],
  ])('%s gives up, in all the ways that terminals send it', async (_, ...ways) => {
    for (const sent of ways) {
      const terminal = new VirtualTerminal(40, 5)
      const curtain = new Curtain()
      const screen = Screen.open(terminal, curtain)
      terminal.type(sent)
      await curtain.givenUp
      screen.close()
    }
  })

  it('an Esc does nothing, neither then nor later, in all the ways that terminals send it', () => {
    const terminal = new VirtualTerminal(40, 5)
    const curtain = new Curtain()
    const screen = Screen.open(terminal, curtain)
    for (const sent of ['\u001b', '\u001b[27u', '\u001b[27;1;27~', 'x']) terminal.type(sent)
    const keys: string[] = []
    curtain.rise({ draw: () => linesOnly('there'), key: (data) => void keys.push(data), wheel: () => {} })
    expect(keys).toEqual(['x'])
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
