import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { newHome, openForTest, turn } from '../../test/support/bough.ts'
import { ScriptedAgent, says } from '../../test/support/scripted-agent.ts'
import type { Bough } from '../bough.ts'
import { openStore } from '../store/open.ts'
import type { SessionID } from '../tree/ids.ts'
import type { NativeMessage } from '../tree/native.ts'

const agentThatReplies = () => new ScriptedAgent('scripted', (prompt) => says(`reply to ${prompt}`))

/** A session of two turns whose process has ended, and what an agent's own tool can do with it. */
async function closedSession(agent = agentThatReplies()) {
  const home = await newHome()
  const open = () => openForTest(home, { drivers: [agent.driver] })
  const first = await open()
  const { id } = await first.create({ agent: 'scripted', directory: home.project })
  await turn(first, id, 'one')
  await turn(first, id, 'two')
  const nativeID = (await first.session(id)).nativeID ?? ''
  await first.close()
  const file = agent.sessions.get(nativeID) ?? []
  return { home, open, agent, id, nativeID, file }
}

let made = 0
const entry = (role: 'user' | 'assistant', text: string): NativeMessage => ({
  role,
  parts: [{ type: 'text', text }],
  status: 'complete',
  created: 0,
  nativeID: `by-hand-${made++}`,
})

const linesOf = async (bough: Bough, id: SessionID): Promise<readonly string[]> =>
  (await bough.messages(id)).map(({ role, text }) => `${role} ${text}`)

const two = ['user one', 'assistant reply to one', 'user two', 'assistant reply to two']

describe('a session that is opened again', () => {
  it('has what was said in the agent’s own tool, once', async () => {
    const { open, id, file } = await closedSession()
    file.push(entry('user', 'by hand'), entry('assistant', 'so be it'))
    const bough = await open()
    expect(await bough.reopen(id)).toEqual({ added: 2, branchID: null, seed: [], missing: null })
    expect(await bough.reopen(id)).toMatchObject({ added: 0 })
    expect(await linesOf(bough, id)).toEqual([...two, 'user by hand', 'assistant so be it'])
  })

  it('has it also when nobody looked before the next prompt, in its order', async () => {
    const { open, id, file, agent } = await closedSession()
    file.push(entry('user', 'by hand'), entry('assistant', 'so be it'))
    const bough = await open()
    await turn(bough, id, 'three')
    expect(await linesOf(bough, id)).toEqual([
      ...two,
      ...['user by hand', 'assistant so be it', 'user three', 'assistant reply to three'],
    ])
    expect(agent.starts.at(-1)).toMatchObject({ kind: 'resume', at: file[5]?.nativeID })
  })

  it('branches where it was rewound; what it had stays, and goes on by itself', async () => {
    const { open, id, nativeID, file, agent } = await closedSession()
    file.splice(2, 2, entry('user', 'otherwise'), entry('assistant', 'as you say'))
    const bough = await open()
    const { added, branchID } = await bough.reopen(id)
    expect([added, await linesOf(bough, id)]).toEqual([0, two])
    if (!branchID) throw new Error('no branch')
    const branch = await bough.session(branchID)
    expect(branch).toMatchObject({ parentID: id, nativeID, title: 'otherwise', messages: 2 })
    expect(await linesOf(bough, branchID)).toEqual([
      ...two.slice(0, 2),
      ...['user otherwise', 'assistant as you say'],
    ])
    expect(await bough.reopen(id)).toMatchObject({ added: 0, branchID: null })
    await turn(bough, branchID, 'on')
    expect(agent.starts.at(-1)).toMatchObject({ kind: 'resume', nativeID })
    await turn(bough, id, 'three')
    expect(agent.starts.at(-1)).toMatchObject({ kind: 'fork', nativeID })
    expect((await bough.session(id)).nativeID).not.toBe(nativeID)
  })

  it('branches before its first message when it was rewound to that', async () => {
    const { open, id, file } = await closedSession()
    file.splice(0, 4, entry('user', 'all anew'))
    const bough = await open()
    const { branchID } = await bough.reopen(id)
    expect(await linesOf(bough, branchID ?? id)).toEqual(['user all anew'])
    expect(await linesOf(bough, id)).toEqual(two)
  })

  it('does not bring a branch back that was deleted', async () => {
    const { open, id, file } = await closedSession()
    file.splice(2, 2, entry('user', 'otherwise'), entry('assistant', 'as you say'))
    const bough = await open()
    const { branchID } = await bough.reopen(id)
    await bough.remove(branchID ?? id)
    expect(await bough.reopen(id)).toMatchObject({ branchID: null, added: 0 })
    expect(await bough.children(id)).toEqual([])
  })

  it('is not taken for rewound when the agent was killed before it had noted its answer', async () => {
    const { open, id, file, agent } = await closedSession()
    file.splice(3, 1)
    const bough = await open()
    expect(await bough.reopen(id)).toMatchObject({ branchID: null, added: 0 })
    expect(await linesOf(bough, id)).toEqual(two)
    await turn(bough, id, 'three')
    expect(agent.told[0]).toContain('=== assistant ===\nreply to two\n')
  })

  it('opens from the tree where its directory or its agent is gone, and says so', async () => {
    const { open, id, home, agent } = await closedSession()
    rmSync(home.project, { recursive: true })
    const bough = await open()
    expect(await bough.reopen(id)).toMatchObject({ missing: null })
    if (agent.driver.native) agent.driver.native.version = () => Promise.reject(new Error('not installed'))
    expect(await bough.reopen(id)).toMatchObject({ missing: 'not installed', added: 0 })
    expect(await linesOf(bough, id)).toEqual(two)
  })

  it('is forked by a seed when it has lost its own history and has no new one yet', async () => {
    const { open, id, nativeID, agent } = await closedSession()
    agent.sessions.delete(nativeID)
    agent.script = async function* () {
      yield { type: 'error', message: 'Overloaded' }
    }
    const bough = await open()
    await expect(bough.send(id, 'three')).rejects.toThrow('Overloaded')
    expect((await bough.fork(id, { files: 'same' })).context).toMatchObject({
      kind: 'seed',
      why: 'scripted has no history of its own of this conversation.',
    })
  })

  it('begins anew natively when its agent was killed before it had a file at all', async () => {
    const agent = agentThatReplies()
    const home = await newHome()
    const bough = await openForTest(home, { drivers: [agent.driver] })
    const { id } = await bough.create({ agent: 'scripted', directory: home.project })
    agent.script = async function* () {
      yield { type: 'text', text: 'half a' }
      yield { type: 'error', message: 'killed' }
    }
    await turn(bough, id, 'one')
    agent.sessions.clear()
    agent.script = (prompt) => says(`reply to ${prompt}`)
    expect((await turn(bough, id, 'two')).at(-1)?.text).toBe('reply to two')
    expect(agent.starts.map(({ kind }) => kind)).toEqual(['fresh', 'resume', 'fresh'])
    expect(await bough.seed(id)).toBeNull()
  })

  it('goes on by a seed when the agent’s own file is gone, and says so', async () => {
    const { open, id, nativeID, agent } = await closedSession()
    agent.sessions.delete(nativeID)
    const bough = await open()
    expect(await bough.reopen(id)).toMatchObject({
      added: 0,
      missing: expect.stringMatching(/^It is gone\. Your next prompt/),
    })
    expect(await linesOf(bough, id)).toEqual(two)
    await turn(bough, id, 'three')
    expect(agent.told[0]).toContain('=== user ===\ntwo\n')
    expect(agent.told.slice(1)).toEqual(['three'])
    expect(await bough.seed(id)).toMatchObject({ state: 'sent', why: 'It is gone.' })
    await turn(bough, id, 'four')
    expect(agent.told.slice(1)).toEqual(['three', 'four'])
  })

  it('forks by a seed when the file of the conversation before is gone', async () => {
    const { open, id, nativeID, agent } = await closedSession()
    const bough = await open()
    const fork = await bough.fork(id, { files: 'same' })
    expect(fork.context.kind).toBe('native')
    agent.sessions.delete(nativeID)
    await turn(bough, fork.id, 'in the fork')
    expect(agent.told).toEqual([expect.stringContaining('=== user ===\ntwo\n'), 'in the fork'])
    expect(await bough.seed(fork.id)).toMatchObject({ state: 'sent', why: expect.stringContaining('gone') })
  })

  it('takes a seed for sent that the agent has answered although bough had died, and shows what stands there', async () => {
    const { home, open, id, agent } = await closedSession(
      new ScriptedAgent('scripted', (prompt) =>
        says(prompt.startsWith('===') ? 'Ready.' : `reply to ${prompt}`),
      ),
    )
    const bough = await open()
    const fork = await bough.fork(id, { files: 'same', context: 'seed' })
    const seed = await bough.seed(fork.id)
    await bough.close()
    // As if it had died before it could note the answer.
    const store = await openStore(home.data, Date.now)
    await store.transaction(async (tx) => {
      await tx.forkSeeds.end(seed?.id ?? 'sed_', 'failed', { hidden: false, usage: null })
      await tx.messages.trim(fork.id, 0)
    })
    await store.close()
    const again = await open()
    expect((await again.reopen(fork.id)).seed.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(await again.seed(fork.id)).toMatchObject({ state: 'sent', hidden: false })
    await turn(again, fork.id, 'on')
    expect(agent.told).toEqual([expect.stringContaining('bough seed'), 'on'])
    expect((await again.messages(fork.id)).slice(4).map(({ role }) => role)).toEqual([
      ...['system', 'user', 'assistant'],
    ])
  })

  it('shows the seed and its acknowledgement as they stand in the file, and stores neither', async () => {
    const { open, id, nativeID, agent } = await closedSession()
    const bough = await open()
    const fork = await bough.fork(id, { files: 'same', context: 'seed' })
    expect(await bough.seed(fork.id)).toMatchObject({ why: 'You asked for a seed.' })
    await turn(bough, fork.id, 'on')
    await bough.close()
    const again = await open()
    const { seed, added } = await again.reopen(fork.id)
    expect([seed.map(({ role }) => role), added]).toEqual([['user', 'assistant'], 0])
    expect(seed[0]?.parts).toEqual([{ type: 'text', text: agent.told[0] }])
    const own = (await again.messages(fork.id)).filter(({ sessionID }) => sessionID === fork.id)
    expect(own.map(({ role }) => role)).toEqual(['assistant', 'system', 'user', 'assistant'])
    expect(nativeID).not.toBe((await again.session(fork.id)).nativeID)
  })
})
