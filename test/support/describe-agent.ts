import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Bough } from '../../src/bough.ts'
import type { MessageID, SessionID } from '../../src/tree/ids.ts'
import { addUsage, noUsage } from '../../src/tree/usage.ts'
import { filesIn } from '../../src/workspace/testing/ground.ts'
import { begin, untilCommandRuns } from './agent-ground.ts'
import { commandOf, processesOf, servingOf } from './agent-processes.ts'
import { turn } from './bough.ts'
import type { RealAgent } from './real-agents.ts'
import { count, variants } from './size.ts'
import { until } from './until.ts'

/** A conversation in which every prompt got its plain answer. */
const told = (...prompts: readonly string[]): readonly string[] =>
  prompts.flatMap((prompt) => [`user: ${prompt}`, `assistant: reply to ${prompt}`])

const forks = count(10, 4)

/** What the agent said last is in its own history: killed before that, it would be handed the conversation anew. */
const untilWritten = (agent: RealAgent, bough: Bough, id: SessionID): Promise<boolean> =>
  until('the agent to have written down what it said', async () => {
    const [{ nativeID }, [last]] = [await bough.session(id), await bough.messages(id, { limit: 1 })]
    if (!last?.nativeID || nativeID === null) return true
    const { messages = [], unfinished = [] } = (await agent.driver.native?.read(nativeID)) ?? {}
    return [...messages, ...unfinished].some((message) => message.nativeID === last.nativeID)
  })

/**
 * That an agent that was killed gets what it was told once, and then what comes after. One that was killed before it had
 * noted its prompt is told that with the next.
 */
function expectOnce(received: readonly string[], before: readonly string[], prompt: string): void {
  expect(received.slice(0, before.length)).toEqual(before)
  expect(received[before.length]).toMatch(new RegExp(`^user: ${RegExp.escape(prompt)}(\\|after it)?$`))
  expect(received.filter((line) => line.includes(prompt))).toHaveLength(1)
  expect(received.at(-1)).toMatch(/after it$/)
}

/** What holds for every agent that we drive, with the real one and a fake of its model API. */
export function describeAgent(name: string, real: () => Promise<RealAgent>): void {
  describe(name, () => {
    it('stays open between turns, is closed when nobody talks to it, and goes on', async () => {
      const { agent, say, received } = await begin(real, { idleAfter: 2_000 })
      await say('one')
      const processes = servingOf(agent)
      expect(processes).not.toEqual([])
      await say('two')
      expect(servingOf(agent)).toEqual(processes)
      await until('it to be closed', () => processesOf(agent).length === 0)
      await say('three')
      expect(received()).toEqual([...told('one', 'two'), 'user: three'])
    })

    it('is open before the first prompt of a fork when it was warmed', async () => {
      const { agent, bough, say, received, sessionID } = await begin(real)
      await say('one')
      const fork = await bough.fork(sessionID)
      await bough.warm(fork.id)
      const processes = processesOf(agent)
      await say('in the fork', fork.id)
      expect(received()).toEqual([...told('one'), 'user: in the fork'])
      expect(processes).toEqual(expect.arrayContaining([...processesOf(agent)]))
      await say('two')
      expect(received()).toEqual([...told('one'), 'user: two'])
    })

    it.each(
      variants([
        ['same', 'same'],
        ['worktree', 'worktree'],
      ] as const),
    )('forks at the head, in the middle and after the first turn, with files: %s', async (_, files) => {
      const { bough, say, received, sessionID } = await begin(real)
      const [first, middle, head] = [await say('one'), await say('two'), await say('three')]
      for (const [messageID, before] of [
        [head, told('one', 'two', 'three')],
        [middle, told('one', 'two')],
        [first, told('one')],
      ] as const) {
        const fork = await bough.fork(sessionID, { messageID, files })
        await say('in the fork', fork.id)
        expect(received()).toEqual([...before, 'user: in the fork'])
        await say('and on', fork.id)
        expect(received()).toEqual([...before, ...told('in the fork'), 'user: and on'])
      }
      await say('four')
      expect(received()).toEqual([...told('one', 'two', 'three'), 'user: four'])
    })

    it('changes files with its own tools, and forks have them as they were', async () => {
      const { bough, say, root, sessionID } = await begin(real)
      const first = await say(`write ${join(root, 'a.txt')}: one`)
      await say('run echo two > a.txt; echo b > b.txt')
      expect(filesIn(root)).toEqual({ 'a.txt': '100644 two\n', 'b.txt': '100644 b\n' })
      const fork = await bough.fork(sessionID, { messageID: first, files: 'worktree' })
      expect(filesIn(fork.directory)).toEqual({ 'a.txt': '100644 one\n' })
      await say('run echo fork > f.txt', fork.id)
      expect(filesIn(fork.directory)).toEqual({ 'a.txt': '100644 one\n', 'f.txt': '100644 fork\n' })
      expect(filesIn(root)).toEqual({ 'a.txt': '100644 two\n', 'b.txt': '100644 b\n' })
      expect((await bough.files(fork.id)).changes.map(({ path }) => path)).toEqual(['f.txt'])
    })

    it('takes turns with another process: ownership is handed over, and its history is one line', async () => {
      const { bough, say, received, sessionID, other } = await begin(real)
      await say('one')
      await other('send', sessionID, 'two')
      await say('three')
      await other('send', sessionID, 'four')
      expect(received()).toEqual([...told('one', 'two', 'three'), 'user: four'])
      const said = await Array.fromAsync(bough.line(sessionID), ({ text }) => text)
      expect(said).toEqual(['one', 'two', 'three', 'four'].flatMap((each) => [each, `reply to ${each}`]))
    })

    it(`runs ${forks} forks of a session at as many messages in parallel, each on its own line`, async () => {
      const { agent, bough, say, sessionID } = await begin(real)
      const prompts = Array.from({ length: forks }, (_, i) => `prompt ${i}`)
      const ends: MessageID[] = []
      for (const prompt of prompts) ends.push(await say(prompt))
      const before = agent.conversations().length
      await Promise.all(
        ends.map(async (messageID, i) => {
          const fork = await bough.fork(sessionID, { messageID, files: 'same' })
          await say(`fork ${i}`, fork.id)
        }),
      )
      // They work in one directory, and are told so.
      const withoutNotes = (line: string) => line.replace(/<bough>\n.*?\[files\].*?\n<\/bough>\n[|\n]/s, '')
      const got = agent
        .conversations()
        .slice(before)
        .map((lines) => lines.map(withoutNotes))
      const expected = prompts.map((_, i) => [...told(...prompts.slice(0, i + 1)), `user: fork ${i}`])
      expect(got.toSorted((a, b) => a.length - b.length)).toEqual(expected)
    })

    it.each(
      variants([
        ['while it speaks', 'slow 500'],
        ['while its command runs', 'run while true; do sleep 1; done'],
      ]),
    )('can be interrupted %s, and goes on', async (_, prompt) => {
      const { agent, bough, say, received, sessionID } = await begin(real)
      await say('one')
      const running = await bough.send(sessionID, prompt)
      for await (const event of running.events) {
        if (event.type === 'text' || event.type === 'tool-call') break
      }
      await untilCommandRuns(agent, prompt)
      expect(await bough.abort(sessionID)).toBe(true)
      expect((await bough.messages(sessionID, { limit: 1 }))[0]).toMatchObject({ status: 'interrupted' })
      await say('after it')
      expect(received().slice(0, 3)).toEqual([...told('one'), `user: ${prompt}`])
      expect(received().at(-1)).toContain('after it')
      expect(received().filter((line) => line.includes(prompt))).toHaveLength(1)
      // Codex's sandbox takes a moment to go.
      await until(
        'its command to be gone',
        () => !processesOf(agent).some((pid) => commandOf(pid).includes('sleep')),
      )
    })

    it.each(
      variants([
        ['429', 'status 429'],
        ['500', 'status 500'],
        ['garbage', 'garbage'],
        ['nothing at all', 'hang'],
      ]),
    )('ends a turn with a clear error when the model API answers %s, and goes on', async (_, prompt) => {
      const { agent, bough, say, received, sessionID } = await begin(real)
      await say('one')
      await say(prompt)
      const [error] = await bough.messages(sessionID, { limit: 1 })
      expect(error).toMatchObject({ role: 'error', status: 'failed' })
      expect(error?.text).toMatch(/^[A-Z].{10,}/s)
      await say('after it')
      expect(received().slice(0, 2)).toEqual(told('one'))
      expect(received().at(-1)).toContain('after it')
      await bough.close()
      expect(processesOf(agent)).toEqual([])
    })

    it('that is killed in mid-turn ends the turn, and the session goes on', async () => {
      const { agent, bough, say, received, sessionID } = await begin(real)
      await say('one')
      const running = await bough.send(sessionID, 'slow 500')
      for await (const event of running.events) {
        if (event.type === 'text') for (const pid of processesOf(agent)) process.kill(pid, 'SIGKILL')
        if (event.type === 'ended') expect(event.end).toMatchObject({ outcome: 'failed' })
      }
      const [error] = await bough.messages(sessionID, { limit: 1 })
      expect(error?.text).toMatch(/ended unexpectedly \(it was ended by SIGKILL\)/)
      await say('after it')
      expectOnce(received(), told('one'), 'slow 500')
    })

    it.each(
      variants([
        ['of a session', 'none'],
        ['of a fork', 'same'],
      ] as const),
    )('that is killed in the first turn %s goes on from there', async (_, files) => {
      const { agent, bough, say, received, sessionID } = await begin(real)
      if (files === 'same') await say('one')
      const id = files === 'same' ? (await bough.fork(sessionID, { files })).id : sessionID
      const before = files === 'same' ? told('one') : []
      for await (const event of (await bough.send(id, 'slow 500')).events) {
        if (event.type === 'text') for (const pid of processesOf(agent)) process.kill(pid, 'SIGKILL')
      }
      await say('after it', id)
      expectOnce(received(), before, 'slow 500')
    })

    it.each(
      variants([
        ['while the agent speaks', 'slow 500'],
        ['while its command runs', 'run while true; do sleep 1; done'],
      ]),
    )('is ended when bough is killed in mid-turn %s, and the session goes on', async (_, prompt) => {
      const { agent, bough, say, received, sessionID, start } = await begin(real)
      await say('one')
      const other = start('send', sessionID, prompt)
      await until('the model to be asked', () => received().at(-1) === `user: ${prompt}`)
      await untilCommandRuns(agent, prompt)
      await untilWritten(agent, bough, sessionID)
      other.child.kill('SIGKILL')
      await other.ended
      await say('after it')
      expectOnce(received(), told('one'), prompt)
      expect(processesOf(agent).filter((pid) => commandOf(pid).includes('sleep'))).toEqual([])
    })

    it('asks before it acts; another process may answer, for once or for the session, and forks ask again', async () => {
      const { bough, root, other, sessionID } = await begin(real, { permissions: {} })
      const asked = async () => {
        await until('a question', async () => (await bough.permissions()).length === 1)
        return (await bough.permissions())[0]?.id ?? ''
      }
      const first = turn(bough, sessionID, 'run touch once')
      expect(existsSync(join(root, 'once'))).toBe(false)
      await other('approve', await asked())
      await first
      expect(existsSync(join(root, 'once'))).toBe(true)

      const denied = turn(bough, sessionID, 'run touch denied')
      await other('approve', await asked(), '--deny')
      const messages = await denied
      expect(messages.find(({ role }) => role === 'tool')?.parts[0]).toMatchObject({ exitCode: 1 })
      expect(existsSync(join(root, 'denied'))).toBe(false)

      const granted = turn(bough, sessionID, 'run touch granted')
      await other('approve', await asked(), '--session')
      const last = (await granted).at(-1)
      rmSync(join(root, 'granted'))
      await turn(bough, sessionID, 'run touch granted')
      expect(existsSync(join(root, 'granted'))).toBe(true)

      const fork = await bough.fork(sessionID, { files: 'same', ...(last && { messageID: last.id }) })
      rmSync(join(root, 'granted'))
      const inFork = turn(bough, fork.id, 'run touch granted')
      await other('approve', await asked(), '--deny')
      await inFork
      expect(existsSync(join(root, 'granted'))).toBe(false)
    })

    it('is denied what nobody answers in time', async () => {
      const { bough, root, sessionID } = await begin(real, { permissions: { timeout: 1 } })
      const messages = await turn(bough, sessionID, 'run touch never')
      expect(messages.find(({ role }) => role === 'tool')?.parts[0]).toMatchObject({ exitCode: 1 })
      expect(messages.at(-1)).toMatchObject({ role: 'assistant', text: 'done' })
      expect(existsSync(join(root, 'never'))).toBe(false)
    })

    it('uses the model that the session, a turn or a fork names', async () => {
      const { agent, bough, say, sessionID, other, start } = await begin(real)
      await other('send', sessionID, 'one', '--model', 'claude-haiku-4-5', '--agent', agent.name)
      await say('two')
      const fork = await bough.fork(sessionID, { model: 'claude-opus-4-8', files: 'same' })
      await say('three', fork.id)
      expect(agent.models()).toEqual(['claude-haiku-4-5', 'claude-haiku-4-5', 'claude-opus-4-8'])
      const refused = await start('send', sessionID, 'four', '--agent', 'offline').ended
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`talks to ${agent.name}`) })
    })

    it('shows what it cost in lists, trees and logs', async () => {
      const { bough, say, sessionID, start } = await begin(real)
      await say('one')
      const fork = await bough.fork(sessionID, { files: 'same', title: 'The fork' })
      await say('two', fork.id)
      const amount = String.raw`(?:\$\d+\.\d\d|\d+k tokens)`
      const shown = async (...args: readonly string[]) => (await start(...args).ended).stdout
      expect(await shown('ls')).toMatch(new RegExp(String.raw`The fork .* 2 +${amount} \(\+${amount}\)`))
      expect(await shown('tree')).toMatch(
        new RegExp(String.raw`The fork .* 2 messages · ${amount} \(\+${amount}\) ·`),
      )
      expect(await shown('log', fork.id)).toMatch(
        new RegExp(`Spent here: ${amount}; before the fork: ${amount}\\.\n$`),
      )
    })

    it('books what the model was told once, and a tree counts nothing twice', async () => {
      const { agent, bough, say, sessionID } = await begin(real)
      const first = await say('one')
      await say('run echo hello')
      const fork = await bough.fork(sessionID, { messageID: first, files: 'same' })
      await say('in the fork', fork.id)
      const [cost, ofFork] = [(await bough.session(sessionID)).cost, (await bough.session(fork.id)).cost]
      expect(cost.inherited).toEqual(noUsage)
      const own = addUsage(cost.own, ofFork.own)
      expect({ input: own.inputTokens, output: own.outputTokens }).toEqual(agent.told())
      const [, answer] = await bough.messages(sessionID, {})
      expect(ofFork.inherited).toEqual(answer?.usage)
    })
  })
}
