import { mkdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { TreeEvent } from '../src/tree/event.ts'
import type { ToolCallPart } from '../src/tree/message.ts'
import { openCallsAfter } from '../src/tree/tool-group.ts'
import { newHome, openForTest, reply, turn } from './support/bough.ts'

// What went wrong in real implementations of forking, one test each. (The kill in the middle of a fork has its own file.)

describe('traps that others fell into', () => {
  it('an unknown message id does not copy everything and is not recorded as the fork point', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const session = await bough.create({ directory: home.project })
    await turn(bough, session.id, 'hello')
    const unknown = bough.fork(session.id, { messageID: 'msg_01zzzzzzzzzzzzzzzzzzzzzzzz' })
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
    expect(await bough.sessions()).toHaveLength(1)
  })

  it('a message of another session, or from after the fork point, is not on the line', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const root = await bough.create({ directory: home.project })
    const [first] = await turn(bough, root.id, 'first')
    const later = await turn(bough, root.id, 'later')
    const fork = await bough.fork(root.id, { ...(first && { messageID: first.id }) })
    const [own] = await turn(bough, fork.id, 'own')
    for (const [sessionID, message] of [
      [fork.id, later[0]],
      [root.id, own],
    ] as const) {
      const wrong = bough.fork(sessionID, { ...(message && { messageID: message.id }) })
      await expect(wrong).rejects.toMatchObject({ code: 'not_on_line' })
    }
    expect(await bough.sessions()).toHaveLength(2)
  })

  it('the parent’s cost is not counted again in the fork', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const parent = await bough.create({ directory: home.project })
    await turn(bough, parent.id, 'one two three')
    const spent = (await bough.session(parent.id)).cost
    expect(spent.own.outputTokens).toBeGreaterThan(0)
    const fork = await bough.fork(parent.id)
    expect((await bough.session(fork.id)).cost).toMatchObject({
      own: { outputTokens: 0 },
      inherited: spent.own,
    })
    await turn(bough, parent.id, 'more')
    expect((await bough.session(fork.id)).cost.inherited).toEqual(spent.own)
  })

  it('the parent’s grants are not inherited, the policy’s denials are', async () => {
    const home = await newHome()
    await mkdir(home.data, { recursive: true })
    await writeFile(home.config, JSON.stringify({ permissions: { deny: ['run(rm*)'], timeout: 30 } }))
    const bough = await openForTest(home)
    const parent = await bough.create({ directory: home.project })
    const asked: string[] = []
    const run = async (sessionID: typeof parent.id, command: string) => {
      let result = ''
      for await (const event of (await bough.send(sessionID, `run ${command}`)).events) {
        if (event.type === 'permission') {
          asked.push(event.permission.sessionID)
          await bough.answer(event.permission.id, { allow: true, scope: 'tool' })
        }
        if (event.type === 'tool-result') result = event.result.output
      }
      return result
    }
    expect(await run(parent.id, 'echo one')).toBe('one\n')
    expect(await run(parent.id, 'echo two')).toBe('two\n')
    expect(asked).toEqual([parent.id])
    const fork = await bough.fork(parent.id)
    expect(await run(fork.id, 'echo three')).toBe('three\n')
    expect(asked).toEqual([parent.id, fork.id])
    expect(await run(fork.id, 'rm -rf never')).toContain('configuration denies')
    expect(asked).toHaveLength(2)
  })

  it('an unfinished message is not copied into the fork, where it would never complete', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const session = await bough.create({ directory: home.project })
    const running = await bough.send(session.id, 'words 3\nsleep 600')
    for await (const event of running.events) {
      if (event.type !== 'text') continue
      await expect(bough.fork(session.id)).rejects.toMatchObject({ code: 'session_busy' })
      const atDraft = () =>
        bough.fork(session.id, { messageID: event.messageID }).catch((error) => error.code)
      await expect.poll(atDraft).toBe('message_unfinished')
      break
    }
    const fork = await bough.fork(session.id, { messageID: running.prompt.id })
    expect((await bough.messages(fork.id)).map((message) => message.role)).toEqual(['user'])
    expect(await bough.abort(session.id)).toBe(true)
    expect(await reply(bough, fork.id, 'and now?')).toContain('turn 2')
  })

  it('no orphan tool call is left by a cut: a point between call and result moves to the result', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const session = await bough.create({ directory: home.project })
    const messages = await turn(bough, session.id, 'write a.txt: a\nread a.txt\nwrite b.txt: b')
    expect(messages.map((message) => message.role)).toEqual([
      'user',
      ...['assistant', 'tool', 'assistant', 'tool', 'assistant', 'tool'],
      'assistant',
    ])
    for (const message of messages) {
      for (const before of [false, true]) {
        const fork = await bough.fork(session.id, { messageID: message.id, before })
        let open: readonly ToolCallPart[] = []
        for await (const each of bough.line(fork.id)) open = openCallsAfter(open, each.parts)
        expect(open).toEqual([])
        const at = messages.findIndex((each) => each.id === fork.forkPoint)
        const wanted = messages.indexOf(message) - (before ? 1 : 0)
        expect(at).toBe(
          messages[wanted]?.role === 'assistant' && messages[wanted + 1]?.role === 'tool'
            ? wanted + 1
            : wanted,
        )
      }
    }
  })

  it('going back deletes no tail: the old one stays, and the first message can be replaced too', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const session = await bough.create({ directory: home.project, title: 'Soup' })
    const [first] = await turn(bough, session.id, 'make tomato soup')
    await turn(bough, session.id, 'add basil')
    const before = await bough.messages(session.id)
    const again = await bough.fork(session.id, { ...(first && { messageID: first.id }), before: true })
    expect(again).toMatchObject({ forkPoint: null, parentID: session.id, title: 'Fork of Soup' })
    expect(await reply(bough, again.id, 'make pea soup')).toContain('turn 1')
    expect((await bough.session(again.id)).title).toBe('make pea soup')
    expect(await bough.messages(session.id)).toEqual(before)
  })

  it('reopening lands on each session’s own head, not on the last line written', async () => {
    const home = await newHome()
    const first = await openForTest(home)
    const root = await first.create({ directory: home.project })
    await turn(first, root.id, 'shared')
    const [a, b] = [await first.fork(root.id), await first.fork(root.id)]
    await turn(first, a.id, 'only in a')
    await turn(first, b.id, 'only in b')
    await first.close()
    const again = await openForTest(home)
    for (const [session, own, foreign] of [
      [a, 'only in a', 'only in b'],
      [b, 'only in b', 'only in a'],
    ] as const) {
      const said = await reply(again, session.id, 'what do you know?')
      expect(said).toContain('turn 3')
      expect(said).toContain('shared')
      expect(said).toContain(own)
      expect(said).not.toContain(foreign)
    }
    const said = await reply(again, root.id, 'and you?')
    expect(said).not.toContain('only in')
  })

  it('events have numbers, and a reader that comes back has lost none', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const session = await bough.create({ directory: home.project })
    const read = async (after: number, until: number) => {
      const stop = new AbortController()
      const events: TreeEvent[] = []
      for await (const event of bough.events({ after, signal: stop.signal })) {
        if (event.kind !== 'reset') events.push(event)
        if (events.length === until) stop.abort()
      }
      return events
    }
    const start = await read(0, 1)
    await turn(bough, session.id, 'write x: y')
    await bough.fork(session.id)
    const missed = await read(start.at(-1)?.seq ?? 0, 8)
    expect(missed.map((event) => event.kind)).toEqual([
      'owner.changed',
      'message.added',
      'session.updated',
      'turn.started',
      ...['message.added', 'message.added', 'message.added'],
      'turn.ended',
    ])
    expect(missed.map((event) => event.seq)).toEqual(missed.map((_, i) => (start.at(-1)?.seq ?? 0) + 1 + i))
  })

  it('provenance and line are two things: a fork at an inherited message has the forked session as its parent', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const root = await bough.create({ directory: home.project })
    const [early] = await turn(bough, root.id, 'early')
    const child = await bough.fork(root.id)
    await turn(bough, child.id, 'in the child')
    const grandchild = await bough.fork(child.id, { ...(early && { messageID: early.id }) })
    expect(grandchild).toMatchObject({ parentID: child.id, forkPoint: early?.id })
    expect((await bough.messages(grandchild.id)).map((message) => message.id)).toEqual([early?.id])
    expect((await bough.tree(root.id)).map((row) => [row.id, row.depth])).toEqual([
      [root.id, 0],
      [child.id, 1],
      [grandchild.id, 2],
    ])
    expect(await bough.remove(child.id)).toEqual({ kept: true, workspace: null })
    expect((await bough.messages(grandchild.id)).map((message) => message.text)).toEqual(['early'])
  })
})
