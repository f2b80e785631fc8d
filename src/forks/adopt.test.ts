import { expect, it, onTestFinished } from 'vitest'
import { newHome, openForTest, turn } from '../../test/support/bough.ts'
import { ScriptedAgent, says } from '../../test/support/scripted-agent.ts'
import { Agents } from '../agents/agents.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { createIds } from '../tree/ids.ts'
import type { NativeMessage } from '../tree/native.ts'
import { adopt } from './adopt.ts'

const entry = (role: NativeMessage['role'], text: string, nativeID: string): NativeMessage => ({
  role,
  parts: [{ type: 'text', text }],
  status: 'complete',
  created: 1,
  nativeID,
})

async function newBough() {
  const agent = new ScriptedAgent('scripted', (prompt) => says(prompt.startsWith('===') ? 'Ready.' : 'yes'))
  const home = await newHome()
  const bough = await openForTest(home, { drivers: [agent.driver] })
  return { agent, bough, home }
}

it('what is adopted twice at once is one session', async () => {
  const { agent, bough } = await newBough()
  agent.sessions.set('n', [entry('user', 'hello', 'e1'), entry('assistant', 'yes', 'e2')])
  const found = { agent: 'scripted', nativeID: 'n' }
  const [a, b] = await Promise.all([bough.adopt(found), bough.adopt(found)])
  expect(a?.id).toBe(b?.id)
  expect(await bough.sessions()).toHaveLength(1)
})

it('a fork whose parent is deleted in the very moment is not stored without what they share', async () => {
  const agent = new ScriptedAgent('scripted', () => says('yes'))
  const { native } = agent.driver
  if (!native) throw new Error('it has a history')
  const shared = [entry('user', 'hello', 'e1'), entry('assistant', 'yes', 'e2')]
  agent.sessions.set('n', shared)
  agent.sessions.set('fork', [...shared, entry('user', 'and on', 'e3')])
  const read: typeof native.read = async (nativeID) => {
    const history = await native.read(nativeID)
    if (nativeID !== 'fork') return history
    const forkedFrom = { nativeID: 'n', at: 'e2' }
    return { ...history, session: { ...history.session, forkedFrom }, shared: 2 }
  }
  const drivers = [{ ...agent.driver, native: { ...native, read } }]
  const home = await newHome()
  const bough = await openForTest(home, { drivers })
  const parent = await bough.adopt({ agent: 'scripted', nativeID: 'n' })
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  let isDeleted = false
  const transaction: typeof store.transaction = async (...work) => {
    if (!isDeleted) await bough.remove(parent.id)
    isDeleted = true
    return store.transaction(...work)
  }
  const inBetween: Store = Object.assign(Object.create(store), { transaction })
  const ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))
  const parts = { store: inBetween, ids, clock: Date.now, agents: new Agents(drivers) }
  const adopting = adopt(parts, 'scripted', 'fork', { catchUp: async () => {} })
  await expect(adopting).rejects.toMatchObject({ code: 'not_found' })
  expect(await store.sessions.all()).toEqual([])
  const { id } = await bough.adopt({ agent: 'scripted', nativeID: 'fork' })
  expect((await bough.messages(id)).map(({ text }) => text)).toEqual(['hello', 'yes', 'and on'])
})

it('a call without a result gets one, so that the session can be forked at its end', async () => {
  const { agent, bough } = await newBough()
  const call = { type: 'tool-call' as const, callID: 'c', name: 'run', args: {} }
  agent.sessions.set('n', [entry('user', 'run it', 'e1'), { ...entry('assistant', '', 'e2'), parts: [call] }])
  const { id } = await bough.adopt({ agent: 'scripted', nativeID: 'n' })
  expect((await bough.messages(id)).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect((await bough.fork(id)).forkPoint).not.toBeNull()
})

it('a seed of bough’s and its acknowledgement are not stored with what is adopted', async () => {
  const { agent, bough, home } = await newBough()
  const { id } = await bough.create({ agent: 'scripted', directory: home.project })
  await turn(bough, id, 'hello')
  const fork = await bough.fork(id, { context: 'seed', files: 'same' })
  await bough.seed(fork.id)
  await turn(bough, fork.id, 'in the fork')
  const { nativeID } = await bough.session(fork.id)
  await bough.remove(fork.id)
  const adopted = await bough.adopt({ agent: 'scripted', nativeID: nativeID ?? '' })
  expect((await bough.messages(adopted.id)).map(({ text }) => text)).toEqual(['in the fork', 'yes'])
  await turn(bough, adopted.id, 'and on')
  expect(agent.told.at(-1)).toBe('and on')
})

it('times that an agent tells to a fraction of a millisecond are whole here', async () => {
  const agent = new ScriptedAgent('scripted', () => says('yes'))
  const { native } = agent.driver
  if (!native) throw new Error('it has a history')
  const times = { created: 1.5, updated: 2.75 }
  const read: typeof native.read = async (nativeID) => {
    const history = await native.read(nativeID)
    return { ...history, session: { ...history.session, ...times } }
  }
  const list = async () => [(await read('n')).session]
  const home = await newHome()
  const drivers = [{ ...agent.driver, native: { ...native, read, list } }]
  const bough = await openForTest(home, { drivers })
  const said = [{ ...entry('user', 'hello', 'e1'), created: 1.25 }]
  agent.sessions.set('n', said)
  const { sessions } = await bough.adoptable({ directory: home.project })
  expect(sessions).toMatchObject([{ created: 1, updated: 2 }])
  const adopted = await bough.adopt({ agent: 'scripted', nativeID: 'n' })
  expect(adopted).toMatchObject({ created: 1, updated: 2 })
  said.push({ ...entry('assistant', 'yes', 'e2'), created: 3.999 })
  expect(await bough.reopen(adopted.id)).toMatchObject({ added: 1 })
  expect((await bough.messages(adopted.id)).map(({ created }) => created)).toEqual([1, 3])
})
