import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { newHome, openForTest, turn } from '../../../test/support/bough.ts'
import { type Script, ScriptedAgent, says } from '../../../test/support/scripted-agent.ts'
import { createOfflineDriver } from '../../agents/offline/offline.ts'
import type { BoughOptions } from '../../open-bough.ts'
import type { Message } from '../../tree/message.ts'
import { sha256Of } from './seed.ts'

const isSeed = (prompt: string): boolean => prompt.startsWith('=== bough seed')

/** An offline session with one turn, and a fork of it to an agent that answers seeds as the test says. */
async function seededBy(script: Script, options: BoughOptions & { window?: number } = {}) {
  const { window = 200_000, ...rest } = options
  const home = await newHome()
  const agent = new ScriptedAgent(
    'scripted',
    (prompt, ...more) => (isSeed(prompt) ? script(prompt, ...more) : says(`reply to ${prompt}`)),
    window,
  )
  const drivers = [createOfflineDriver({ pace: 0 }), agent.driver]
  const bough = await openForTest(home, { drivers, ...rest })
  const { id } = await bough.create({ agent: 'offline', directory: home.project })
  await turn(bough, id, 'remember the heron')
  const fork = await bough.fork(id, { agent: 'scripted', files: 'same' })
  return { home, drivers, agent, bough, fork, parentID: id }
}

const wordsOf = ({ role, parts }: Message): string =>
  `${role}: ${parts.map((part) => ('text' in part ? part.text : part.type)).join('|')}`

describe('a seeded fork', () => {
  it('is there at once, hands the line over in the background, and hides the acknowledgement', async () => {
    const gate = Promise.withResolvers<void>()
    const { bough, fork, agent } = await seededBy(async function* () {
      await gate.promise
      yield* says('Rea', 'dy.')
    })
    expect(fork.context).toMatchObject({ kind: 'seed', why: 'The conversation before was with offline.' })
    expect((await bough.session(fork.id)).state).toBe('seeding')
    gate.resolve()
    const seed = await bough.seed(fork.id)
    expect(seed).toMatchObject({ state: 'sent', hidden: true, window: 200_000, leftOut: null })
    expect(seed?.usage?.inputTokens).toBe(7)
    const [text = ''] = agent.told
    expect(seed?.sha256).toBe(sha256Of(text))
    expect(text).toContain('=== user ===\nremember the heron\n')
    const session = await bough.session(fork.id)
    expect([session.state, session.messages, session.cost.own.inputTokens]).toEqual(['idle', 1, 7])
    const own = (await bough.messages(fork.id)).slice(-1)
    expect(own.map(wordsOf)[0]).toMatch(
      /^system: The conversation before was with offline\. So .* It waits for your prompt\.$/,
    )
    const answer = await turn(bough, fork.id, 'go on')
    expect(answer.map(wordsOf)).toEqual(['user: go on', 'assistant: reply to go on'])
    expect(agent.starts).toHaveLength(1)
  })

  it.each([
    ['a question', () => says('Which heron?'), ['assistant: Which heron?']],
    ['more than the word', () => says('Ready. Shall I begin?'), ['assistant: Ready. Shall I begin?']],
    ['the word as a question', () => says('Ready?'), ['assistant: Ready?']],
  ] as const)('shows an answer that is %s', async (_, script, shown) => {
    const { bough, fork } = await seededBy(script)
    expect(await bough.seed(fork.id)).toMatchObject({ state: 'sent', hidden: false })
    const own = (await bough.messages(fork.id)).slice(2)
    expect(own.slice(0, -1).map(wordsOf)).toEqual(shown)
    expect(own.at(-1)?.role).toBe('system')
    expect((await turn(bough, fork.id, 'go on')).at(-1)?.text).toBe('reply to go on')
    expect((await bough.session(fork.id)).cost.own.inputTokens).toBe(14)
  })

  it('lets no tool act that the agent calls, and shows that it did', async () => {
    const allowed: boolean[] = []
    const { bough, fork } = await seededBy(async function* (_, __, ask) {
      yield { type: 'tool-call', callID: 'c', name: 'run', args: { command: 'ls' } }
      yield { type: 'message-finished' }
      allowed.push(await ask())
      yield { type: 'tool-result', callID: 'c', name: 'run', output: 'denied', exitCode: 1 }
      yield { type: 'message-finished' }
      yield* says('Ready.')
    })
    expect(await bough.seed(fork.id)).toMatchObject({ state: 'sent', hidden: false })
    expect(allowed).toEqual([false])
    expect(await bough.permissions()).toEqual([])
    expect((await bough.messages(fork.id)).slice(2).map(({ role }) => role)).toEqual([
      'assistant',
      'tool',
      'assistant',
      'system',
    ])
  })

  it("lets none of bough's own tools act either, and does in the turns after it", async () => {
    const answers: string[] = []
    const { bough, fork, agent } = await seededBy(async function* (_, __, ___, use) {
      answers.push(await use('run_background', { prompt: 'go on with the old task' }))
      answers.push(await use('enter_fork', {}))
      yield* says('Ready.')
    })
    await bough.seed(fork.id)
    expect(answers).toEqual(Array(2).fill('Nothing is to be done yet: wait for the next prompt.'))
    expect(await bough.sideForks()).toEqual([])
    agent.script = async function* (_, __, ___, use) {
      answers.push(await use('list_schedule', {}))
      yield* says('done')
    }
    await turn(bough, fork.id, 'what is planned?')
    expect(answers[2]).not.toBe(answers[0])
  })

  it('asks the person again in the turns after it', async () => {
    const { bough, fork, agent } = await seededBy(() => says('Ready.'))
    await bough.seed(fork.id)
    agent.script = async function* (_, __, ask) {
      const allowed = await ask()
      yield* says(allowed ? 'allowed' : 'denied')
    }
    const running = await bough.send(fork.id, 'run it')
    for await (const event of running.events)
      if (event.type === 'permission') await bough.answer(event.permission.id, { allow: true })
    expect((await bough.messages(fork.id)).at(-1)?.text).toBe('allowed')
  })

  it('to an agent that does not start is given up, also by a person, and keeps nobody from closing', async () => {
    const { bough, fork, agent } = await seededBy(() => says('Ready.'), { seedPatience: 300 })
    await bough.seed(fork.id)
    agent.hangs = true
    const again = await bough.fork(fork.id, { context: 'seed', files: 'same' })
    expect(await bough.seed(again.id)).toMatchObject({ state: 'failed' })
    const third = await bough.fork(fork.id, { context: 'seed', files: 'same' })
    await expect.poll(() => bough.abort(third.id)).toBe(true)
    expect(await bough.seed(third.id)).toMatchObject({ state: 'failed' })
    expect((await bough.messages(third.id)).filter(({ sessionID }) => sessionID === third.id)).toEqual([])
    const stop = AbortSignal.timeout(50)
    await expect(bough.send(third.id, 'on', { signal: stop })).rejects.toThrow()
  })

  it('can be deleted while it is seeded', async () => {
    const { bough, fork } = await seededBy(async function* (_, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield { type: 'turn-finished', reason: 'interrupted' }
    })
    await expect.poll(async () => (await bough.session(fork.id)).nativeID).not.toBeNull()
    const before = performance.now()
    await bough.remove(fork.id)
    expect(performance.now() - before).toBeLessThan(8_000)
    await expect(bough.session(fork.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('says why it failed, tries again with the first prompt, and hides nothing later by mistake', async () => {
    let tries = 0
    const { bough, fork, agent } = await seededBy(async function* () {
      if (tries++ === 0) {
        yield { type: 'text', text: 'Rea' }
        yield { type: 'error', message: 'Overloaded' }
      } else yield* says('Ready.')
    })
    expect(await bough.seed(fork.id)).toMatchObject({ state: 'failed', hidden: false })
    expect((await bough.session(fork.id)).nativeID).toBeNull()
    expect((await bough.messages(fork.id)).at(-1)?.parts).toEqual([
      {
        type: 'notice',
        text: 'The conversation could not be handed over to scripted: Overloaded. It had said: "Rea". It is tried again with your next prompt.',
      },
    ])
    const said = await turn(bough, fork.id, 'Ready.')
    expect(said.map(wordsOf)).toEqual(['user: Ready.', 'assistant: reply to Ready.'])
    expect(await bough.seed(fork.id)).toMatchObject({ state: 'sent', hidden: true })
    expect(agent.told).toHaveLength(2)
  })

  it('sends nothing as long as it cannot be handed over', async () => {
    const { bough, fork } = await seededBy(async function* () {
      yield { type: 'error', message: 'Overloaded' }
    })
    await bough.seed(fork.id)
    await expect(bough.send(fork.id, 'go on')).rejects.toThrow(/could not be handed over.*Overloaded/)
    expect((await bough.messages(fork.id)).some(({ text }) => text === 'go on')).toBe(false)
    expect((await bough.session(fork.id)).state).toBe('idle')
  })

  it('gives an agent up that never answers', async () => {
    const { bough, fork } = await seededBy(
      async function* (_, signal) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        yield { type: 'turn-finished', reason: 'interrupted' }
      },
      { seedPatience: 50 },
    )
    expect(await bough.seed(fork.id)).toMatchObject({ state: 'failed' })
    expect((await bough.messages(fork.id)).at(-1)?.parts[0]).toMatchObject({
      text: expect.stringContaining('It did not answer.'),
    })
  })

  it('gives an agent up that only says, again and again, that it tries once more', async () => {
    let tries = 0
    const { bough, fork } = await seededBy(
      async function* (_, signal) {
        if (tries++ > 0) return yield* says('Ready.')
        while (!signal.aborted) {
          await pause(10)
          yield { type: 'notice', text: 'The network is away. It tries again.' }
        }
        yield { type: 'turn-finished', reason: 'interrupted' }
      },
      { seedPatience: 200 },
    )
    expect(await bough.seed(fork.id)).toMatchObject({ state: 'failed' })
    expect((await bough.messages(fork.id)).at(-1)?.parts[0]).toMatchObject({
      text: expect.stringContaining('It did not answer. The network is away. It tries again.'),
    })
    expect((await turn(bough, fork.id, 'go on')).map(wordsOf)).toEqual([
      'user: go on',
      'assistant: reply to go on',
    ])
  })

  it('waits for another process when it was closed in the middle', async () => {
    const { home, drivers, bough, fork } = await seededBy(async function* (_, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield { type: 'turn-finished', reason: 'interrupted' }
    })
    await bough.close()
    const again = await openForTest(home, { drivers: [...drivers] })
    expect((await again.session(fork.id)).messages).toBe(0)
    expect(await again.seed(fork.id)).toMatchObject({ state: 'failed' })
  })

  it('forks again natively from where the seed was in, and carries the whole line once to the next agent', async () => {
    const { bough, fork, agent } = await seededBy(() => says('Ready.'))
    await bough.seed(fork.id)
    const native = await bough.fork(fork.id, { files: 'same' })
    expect(native.context).toMatchObject({ kind: 'native' })
    await turn(bough, native.id, 'in the fork')
    expect(agent.starts.at(-1)).toMatchObject({ kind: 'fork' })
    expect(agent.told).toHaveLength(2)
    const back = await bough.fork(native.id, { agent: 'offline', files: 'same' })
    expect(await bough.seed(back.id)).toMatchObject({ state: 'sent', hidden: false })
    const [last] = (await turn(bough, back.id, 'and now?')).slice(-1)
    expect(last?.text.match(/heron/g)).toHaveLength(1)
    const third = await bough.fork(back.id, { agent: 'scripted', files: 'same' })
    await bough.seed(third.id)
    const [seed = ''] = agent.told
    for (const once of ['remember the heron', 'in the fork', 'and now?'])
      expect(seed.split(`=== user ===\n${once}\n`)).toHaveLength(2)
    expect(seed.match(/=== bough seed/g)).toHaveLength(2)
  })

  it('is made on request, refused where only a native one is wanted, and warned of when it hardly fits', async () => {
    const { bough, parentID } = await seededBy(() => says('Ready.'), { window: 400 })
    expect(await bough.forkContext(parentID, { context: 'seed' })).toMatchObject({
      kind: 'seed',
      why: 'You asked for a seed.',
      window: null,
      warning: null,
    })
    await expect(bough.fork(parentID, { agent: 'scripted', context: 'native' })).rejects.toMatchObject({
      code: 'fork_unsupported',
    })
    await turn(bough, parentID, 'x'.repeat(1500))
    expect(await bough.forkContext(parentID, { agent: 'scripted' })).toMatchObject({
      warning: expect.stringMatching(/^The conversation does not fit: .* % of scripted's .* Left out: /),
    })
  })
})
