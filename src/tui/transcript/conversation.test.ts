import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../agents/driver.ts'
import type { Bough } from '../../bough.ts'
import type { Session } from '../../tree/session.ts'
import { openTui } from '../testing/ground.ts'
import { openScripted } from '../testing/scripted-tab.ts'
import { Conversation } from './conversation.ts'

// These conversations hear nothing by themselves: what is told to them, and when, is up to the test.
const deaf = (bough: Bough, session: Session): Promise<Conversation> =>
  Conversation.open(bough, session, { changed() {}, grew() {} }, () => 0)

const keys = ({ entries }: Conversation): readonly string[] =>
  entries.flatMap((entry) => (entry.kind === 'message' ? entry.key : []))

async function line(bough: Bough, { id }: Session): Promise<readonly string[]> {
  return (await bough.messages(id)).map((message) => message.id)
}

/** Says as many things as it is told to. */
async function* sayings(prompt: string): AsyncGenerator<AgentEvent> {
  for (let i = 0; i < Number(/\d+$/.exec(prompt)); i++) {
    yield { type: 'text', text: `${i}` }
    yield { type: 'message-finished' }
  }
  yield { type: 'turn-finished', reason: 'done' }
}

describe('what was missed', () => {
  it('stands before the turn that runs by now', async () => {
    const { bough, session, agent, turn } = await openTui({ prompts: ['one'] })
    const conversation = await deaf(bough, session)
    await turn('two')
    await bough.send(session.id, 'sleep 1')
    await agent.held(1)
    await conversation.refresh()
    expect(conversation.isRunning).toBe(true)
    expect(keys(conversation)).toEqual(await line(bough, session))
    agent.release(1)
    conversation.close()
  })

  it('is read though the newest is known, however much it is, and each has its number', async () => {
    const { bough, session, turn } = await openScripted(sayings)
    await turn('1')
    const conversation = await deaf(bough, session)
    conversation.note('dim', 'A note.')
    await turn('250')
    const last = await bough.send(session.id, '1')
    conversation.follow(last)
    await last.ended
    await conversation.refresh()
    const all = await line(bough, session)
    expect(all).toHaveLength(255)
    expect(keys(conversation)).toEqual(all)
    expect(conversation.entries[2]).toMatchObject({ kind: 'note' })
    conversation.count(conversation.newest?.id ?? 'msg_', 255)
    const numbers = conversation.entries.flatMap((entry) =>
      entry.kind === 'message' ? conversation.numberOf(entry) : [],
    )
    expect(numbers).toEqual(all.map((_, i) => i + 1))
    conversation.close()
  })

  it('of a fork comes after what it inherits', async () => {
    const { bough, session, turn } = await openScripted(sayings)
    await turn('3')
    const fork = await bough.fork(session.id)
    const conversation = await deaf(bough, fork)
    await turn('2', fork.id)
    const last = await bough.send(fork.id, '1')
    conversation.follow(last)
    await last.ended
    await conversation.refresh()
    expect(keys(conversation)).toEqual(await line(bough, fork))
    conversation.close()
  })
})

it('how long a turn runs is told by the clock of the UI', async () => {
  const { bough, session, agent, screen, clock, app } = await openTui()
  clock.now += 3_600_000
  await bough.send(session.id, 'sleep 1')
  await agent.held(1)
  await screen('working')
  expect(app.tab.conversation.runningSince).toBe(clock.now)
  agent.release(1)
})
