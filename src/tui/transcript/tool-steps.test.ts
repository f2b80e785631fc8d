import { describe, expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'
import { openScripted } from '../testing/scripted-tab.ts'

/** The transcript alone, once the turn is over. */
const body = (screen: string): string =>
  screen
    .split('\n')
    .slice(
      1,
      screen.split('\n').findIndex((line) => line.startsWith('───')),
    )
    .join('\n')
    .trimEnd()

describe('tool calls in the transcript', () => {
  it('are one line each: what they do, and what came of it', async () => {
    const { turn, screen } = await openTui({ rows: 20 })
    await turn('write soup.txt: leek\nrun printf "a\\nb\\n"\nrun exit 3\nread nothing')
    expect(body(await screen(/Instructions done[\s\S]*Esc looks back/))).toMatchInlineSnapshot(`
      "▌ read nothing

        ▸ write soup.txt                                                            ✓
        ▸ run printf "a\\nb\\n"                                               ✓ 2 lines
        ▸ run exit 3                                                         ✗ exit 3
        ▸ read nothing                                                       ✗ exit 1

        I am bough's offline agent: no model, just plain instructions and a memory.

        Instructions done: 2 of 4.
        - write soup.txt: done
        - run “printf "a\\nb\\n"”: done
        - run “exit 3”: failed with exit code 3
        - read nothing: failed: no such file or directory (ENOENT)"
    `)
  })

  it('say that they run while they do, and that they were cut off', async () => {
    const { press, screen, bough, session } = await openScripted(async function* (_, signal) {
      yield { type: 'tool-call', callID: '1', name: 'run', args: { command: 'ls' } }
      yield { type: 'message-finished' }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield { type: 'turn-finished', reason: 'interrupted' }
    })
    await bough.send(session.id, 'Go')
    expect(await screen(/▸ run ls +…/)).toContain('working')
    press('Esc')
    await screen(/▸ run ls +✗ cut off/)
  })

  it('are opened and folded with a click, what they gave too', async () => {
    const { turn, screen, click } = await openTui({ rows: 30 })
    await turn('run printf "leek\\nonion\\n"\nwrite a: salt')
    await screen('Instructions done')
    await click('▸ run printf')
    const opened = await screen('│ onion')
    expect(opened).toContain('▸ write a')
    expect(opened).toContain('▾ run printf')
    await click('│ onion')
    await screen('▸ run printf')
    expect(await screen()).not.toContain('│ onion')
  })

  it('are all opened and folded with Ctrl+O', async () => {
    const { turn, screen, press } = await openTui({ rows: 30 })
    await turn('run echo leek\nwrite a: salt')
    await screen('Instructions done')
    press('Ctrl+O')
    const opened = await screen('│ leek')
    expect(opened).toContain('│ text: salt')
    expect(opened).toContain('│ Wrote 5 bytes to a.')
    press('Ctrl+O')
    await screen(/▸ run echo leek\s/)
    expect(await screen()).not.toContain('│')
  })

  it('stay open when their result comes later', async () => {
    const gate = Promise.withResolvers<void>()
    const { screen, click, bough, session } = await openScripted(async function* () {
      yield { type: 'tool-call', callID: '1', name: 'run', args: { command: 'cook' } }
      await gate.promise
      yield { type: 'message-finished' }
      yield { type: 'tool-result', callID: '1', name: 'run', output: 'leek', exitCode: 0 }
      yield { type: 'message-finished' }
      yield { type: 'turn-finished', reason: 'done' }
    })
    await bough.send(session.id, 'Go')
    await click('▸ run cook')
    await screen('▾ run cook')
    gate.resolve()
    await screen('│ leek')
  })

  it('show what they gave also where something was told before it came', async () => {
    const gate = Promise.withResolvers<void>()
    const { screen, click, bough, session, app } = await openScripted(async function* () {
      yield { type: 'tool-call', callID: '1', name: 'run', args: { command: 'cook' } }
      yield { type: 'message-finished' }
      await gate.promise
      yield { type: 'tool-result', callID: '1', name: 'run', output: 'leek', exitCode: 0 }
      yield { type: 'message-finished' }
      yield { type: 'turn-finished', reason: 'done' }
    })
    await bough.send(session.id, 'Go')
    await screen('▸ run cook')
    app.tab.conversation.note('dim', 'Something else.')
    await screen('Something else.')
    gate.resolve()
    await screen(/▸ run cook +✓/)
    await click('▸ run cook')
    await screen(/▾ run cook[\s\S]*Something else\.[\s\S]*│ leek/)
  })

  it('are stops once they are opened, with o in backtrack too', async () => {
    const { turn, screen, press } = await openTui({ rows: 40 })
    await turn('run echo leek')
    await screen('Instructions done')
    press('Esc')
    await screen(/╭─ agent · 4 ─/)
    press('Up')
    await screen(/╭─ you · 1 ─/)
    press('Down', 'o')
    await screen('│ leek')
    press('Up')
    expect(await screen(/╭─ tool · 3 ─/)).toContain('│     │ leek')
    press('Up')
    await screen(/╭─ agent · 2 ─/)
  })

  it('show each result under its call where there were several at once', async () => {
    const { turn, screen, press } = await openScripted(
      async function* () {
        yield { type: 'reasoning', text: 'I look\nat both.' }
        yield { type: 'tool-call', callID: '1', name: 'look', args: { file: 'pot' } }
        yield { type: 'tool-call', callID: '2', name: 'smell', args: { file: 'soup' } }
        yield { type: 'message-finished' }
        yield { type: 'tool-result', callID: '2', name: 'smell', output: 'good', exitCode: 0 }
        yield { type: 'tool-result', callID: '1', name: 'look', output: 'no pot', exitCode: 1 }
        yield { type: 'message-finished' }
        yield { type: 'text', text: 'Done.' }
        yield { type: 'message-finished' }
        yield { type: 'turn-finished', reason: 'done' }
      },
      { rows: 26 },
    )
    await turn('Go on')
    expect(body(await screen(/Done\.[\s\S]*Esc looks back/))).toMatchInlineSnapshot(`
      "▌ Go on

        ▸ thinking: I look at both.
        ▸ look pot                                                           ✗ exit 1
        ▸ smell soup                                                                ✓

        Done."
    `)
    press('Ctrl+O')
    expect(body(await screen('│ no pot'))).toMatchInlineSnapshot(`
      "▌ Go on

        ▾ thinking
          │ I look
          │ at both.
        ▾ look pot                                                           ✗ exit 1
        ▾ smell soup                                                                ✓
          smell soup
          │ good
          look pot
          │ no pot

        Done."
    `)
  })
})

describe('what a message says of itself', () => {
  it('reasoning is one line, and opens', async () => {
    const { turn, screen, click } = await openScripted(async function* () {
      yield { type: 'reasoning', text: 'First the onions.\nThen the leek.' }
      yield { type: 'text', text: 'Onions.' }
      yield { type: 'message-finished' }
      yield { type: 'turn-finished', reason: 'done' }
    })
    await turn('What first?')
    expect(await screen('Onions.')).toContain('▸ thinking: First the onions. Then the leek.')
    await click('▸ thinking')
    expect(await screen('│ Then the leek.')).toContain('▾ thinking')
  })

  it('a message that was interrupted says so', async () => {
    const { screen, press, agent, bough, session } = await openTui()
    await bough.send(session.id, 'words 5\nsleep 1')
    await agent.held(1)
    await screen('bark twig leaf root bough')
    press('Esc')
    expect(await screen('cut off: the turn was interrupted')).toContain('Interrupted.')
  })

  it('a turn that failed says why, and what was said before says that it failed', async () => {
    const { turn, screen } = await openScripted(async function* () {
      yield { type: 'text', text: 'I begin' }
      yield { type: 'error', message: 'The agent ended: it was killed (SIGKILL).' }
    })
    await turn('Go').catch(() => {})
    const shown = await screen('✗ The agent ended: it was killed (SIGKILL).')
    expect(shown).toContain('I begin')
    expect(shown).toContain('— cut off: the turn failed')
  })
})
