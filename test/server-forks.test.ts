import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { MessageID, SessionID } from '../src/tree/ids.ts'
import { routes } from '../src/wire/routes.ts'
import { forked } from '../src/wire/schema/fork.ts'
import { session } from '../src/wire/schema/session.ts'
import { sideFork } from '../src/wire/schema/side-fork.ts'
import { person } from '../src/workspace/testing/ground.ts'
import { unknown } from './support/bough-suite/ground.ts'
import { openServed, type Served, type ServedOptions } from './support/served.ts'
import { count } from './support/size.ts'
import { until } from './support/until.ts'

const comesBack = z.extend(session, { fork: sideFork })
const files = { 'a.txt': 'a\n' }

interface Talked extends Served {
  readonly id: SessionID
  /** Where its forks are made and looked at. */
  readonly place: string
  readonly first: MessageID
  readonly last: MessageID
}

/** A session with two turns, each of which has changed a file. */
async function talked(options: ServedOptions = {}): Promise<Talked> {
  const served = await openServed(options)
  const id = await served.session('Parent')
  const first = await served.turn(id, 'write a.txt: one')
  const last = await served.turn(id, 'write a.txt: two', 'write b.txt: two')
  return { ...served, id, place: `/session/${id}/fork`, first, last }
}

describe('POST /session/{id}/fork', () => {
  it('forks at the head, where nothing is named', async () => {
    const { post, get, bough, id, place, last } = await talked()
    const fork = (await post(place)).as(201, forked)
    expect(fork).toMatchObject({ parentID: id, forkPoint: last, kind: 'branch', files: { mode: 'same' } })
    const { files: _, context: __, ...plain } = fork
    expect((await get(`/session/${fork.id}`)).as(200, session)).toEqual(plain)
    expect(await bough.messages(fork.id)).toEqual(await bough.messages(id))
    expect((await post(place, {})).as(201, forked).forkPoint).toBe(last)
  })

  it('makes nothing of what it refuses', async () => {
    const { post, bough, place } = await talked()
    for (const body of [
      ...[{ prompt: ' ' }, { title: ' ' }, { topic: 'x' }, { idleTimeout: 5 }],
      ...[{ kind: 'background' }, { kind: 'background', prompt: ' ' }],
      ...[
        { kind: 'background', prompt: 'x', title: ' ' },
        { kind: 'interactive', topic: ' ' },
        { kind: 'interactive', topic: 'x', title: ' ' },
        { kind: 'interactive', files: 'same' },
      ],
    ])
      (await post(place, body)).refused(400, 'bad_input')
    expect(await bough.sessions()).toHaveLength(1)
    expect(await bough.sideForks()).toEqual([])
  })

  it('forks in the middle: at a message, and before one', async () => {
    const { post, bough, id, place, first } = await talked()
    const line = await bough.messages(id)
    const third = line.find((_, i) => line[i - 1]?.id === first)?.id
    const at = (await post(place, { messageID: first, files: 'same' })).as(201, forked)
    const before = (await post(place, { messageID: third, before: true, files: 'same' })).as(201, forked)
    expect([at.forkPoint, before.forkPoint]).toEqual([first, first])
    const beginning = (await post(place, { messageID: line[0]?.id, before: true, files: 'same' })).as(
      201,
      forked,
    )
    expect(beginning.forkPoint).toBeNull()
    const [call] = line.filter(({ parts }) => parts.some(({ type }) => type === 'tool-call'))
    const group = (await post(place, { messageID: call?.id, files: 'same' })).as(201, forked)
    expect(group.forkPoint).toBe(line[line.findIndex((each) => each.id === call?.id) + 1]?.id)
  })

  it('forks an inherited message of a fork: its parent is the one that was forked', async () => {
    const { post, place, first, last } = await talked()
    const child = (await post(place, { files: 'same' })).as(201, forked)
    const grandchild = (await post(`/session/${child.id}/fork`, { messageID: first, files: 'same' })).as(
      201,
      forked,
    )
    expect([child.forkPoint, grandchild.parentID, grandchild.forkPoint]).toEqual([last, child.id, first])
  })

  it('gives it the title, and the model, that are named', async () => {
    const { post, place } = await talked()
    const named = { title: 'Ünique “title”', model: 'big' }
    expect((await post(place, { ...named, files: 'same' })).as(201, forked)).toMatchObject(named)
  })

  it('puts it into a worktree of its own, in a real repository', async () => {
    const { post, place, first, directory } = await talked({ files })
    const fork = (await post(place, { messageID: first, files: 'worktree' })).as(201, forked)
    expect(fork).toMatchObject({ files: { mode: 'worktree' } })
    expect(fork.workspaceID).not.toBeNull()
    expect(readFileSync(join(fork.directory, 'a.txt'), 'utf8')).toBe('one\n')
    expect(existsSync(join(fork.directory, 'b.txt'))).toBe(false)
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('two\n')
    expect(person(directory, 'worktree', 'list')).toContain(fork.directory)
    const byItself = (await post(place, { messageID: first })).as(201, forked)
    expect(byItself.files).toMatchObject({ mode: 'worktree', snapshotID: fork.files.snapshotID })
  })

  it('leaves the files, begins with clean ones, or puts them back', async () => {
    const { post, place, first, directory } = await talked({ files })
    const same = (await post(place, { messageID: first, files: 'same' })).as(201, forked)
    expect(same).toMatchObject({ directory, workspaceID: null, files: { mode: 'same', changes: [] } })
    const clean = (await post(place, { messageID: first, files: 'clean' })).as(201, forked)
    expect(readFileSync(join(clean.directory, 'a.txt'), 'utf8')).toBe('a\n')
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('two\n')
    const restored = (await post(place, { messageID: first, files: 'restore' })).as(201, forked)
    expect(restored).toMatchObject({ directory, files: { mode: 'restore' } })
    expect(restored.files.changes).toEqual([
      { path: 'a.txt', change: 'changed' },
      { path: 'b.txt', change: 'deleted' },
    ])
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\n')
    expect(existsSync(join(directory, 'b.txt'))).toBe(false)
  })

  it('begins a turn in it, where a prompt is given', async () => {
    const { post, place, bough } = await talked()
    const fork = (await post(place, { prompt: 'go on', files: 'same' })).as(201, forked)
    await (await bough.follow(fork.id))?.ended
    expect((await bough.messages(fork.id)).slice(-2)).toMatchObject([
      { text: 'go on' },
      { role: 'assistant' },
    ])
  })

  it('forks across agents by a seed, and by one where that is asked for', async () => {
    const { post, get, place, bough, scripted } = await talked()
    const other = (await post(place, { agent: 'scripted', files: 'same' })).as(201, forked)
    expect(other).toMatchObject({ agent: 'scripted', context: { kind: 'seed', leftOut: null } })
    expect((await get(`/session/${other.id}/seed`)).as(200, routes.seed.result)).toMatchObject({
      state: 'sent',
    })
    await (await bough.send(other.id, 'and now?')).ended
    expect(scripted.told.at(-1)).toContain('and now?')
    const back = (await post(`/session/${other.id}/fork`, { agent: 'offline', files: 'same' })).as(
      201,
      forked,
    )
    expect(back).toMatchObject({ agent: 'offline', context: { kind: 'seed' } })
    const seeded = (await post(place, { context: 'seed', files: 'same' })).as(201, forked)
    expect(seeded.context).toMatchObject({ kind: 'seed', why: 'You asked for a seed.' })
    const native = (await post(place, { context: 'native', files: 'same' })).as(201, forked)
    expect(native.context).toEqual({ kind: 'native', why: 'offline itself begins at that point.' })
    const neither = await post(place, { agent: 'scripted', context: 'native', files: 'same' })
    neither.refused(409, 'fork_unsupported')
  })

  it('opens an interactive fork in the channel of the session', async () => {
    const { post, place, id, bough, last } = await talked()
    const body = { kind: 'interactive', topic: 'herons', idleTimeout: 7, title: 'About herons' }
    const fork = (await post(place, body)).as(201, comesBack)
    expect(fork).toMatchObject({ parentID: id, forkPoint: last, kind: 'interactive', title: 'About herons' })
    expect(fork.fork).toMatchObject({ state: 'open', topic: 'herons', idleTimeout: 7, origin: 'person' })
    expect(await bough.channelOf(id)).toMatchObject({ mainID: id, openForkID: fork.id })
    ;(await post(place, { kind: 'interactive' })).refused(409, 'fork_open')
    ;(await post(`/session/${fork.id}/fork`, { kind: 'interactive' })).refused(409, 'fork_open')
    const ended = await post(`/session/${fork.id}/exit`, { action: 'discard' })
    expect(ended.as(200, routes.exit.result)).toMatchObject({ outcome: 'discarded' })
    const without = (await post(place, { kind: 'interactive' })).as(201, comesBack)
    expect(without.fork).toMatchObject({ topic: null, state: 'open' })
  })

  it('answers with the interactive fork that it has opened, where another is open by then, and leaves main as it is', async () => {
    const { post, place, id, bough } = await talked()
    const { title } = await bough.session(id)
    const opened: SessionID[] = []
    const next = Promise.withResolvers<unknown>()
    const { id: channelID } = await bough.channelOf(id)
    const leave = await bough.attend(channelID, {
      show: async () => {},
      edit: async () => {},
      ask: async () => {},
      // Whoever has opened it waits until it is shown: by then it is over.
      async send({ kind }, _, sessionID) {
        if (kind !== 'entered' || opened.push(sessionID) > 1) return null
        const ending = bough.exit(sessionID, { action: 'discard' })
        await until('it to be over', async () => (await bough.sideFork(sessionID))?.state === 'ended')
        const opening = bough.say(channelID, { kind: 'fork' })
        Promise.all([ending, opening]).then(next.resolve, next.reject)
        await until('another', async () => (await bough.channel(channelID)).openForkID !== null)
        return null
      },
    })
    const fork = (await post(place, { kind: 'interactive', title: 'About herons' })).as(201, comesBack)
    await next.promise
    expect(fork).toMatchObject({ id: opened[0], title: 'About herons' })
    expect(await bough.session(id)).toMatchObject({ title })
    expect((await bough.session((await bough.channel(channelID)).openForkID ?? id)).title).not.toBe(
      'About herons',
    )
    await leave()
  })

  it('starts a background fork, which runs to its end', async () => {
    const { post, get, place, id, last } = await talked()
    const fork = (await post(place, { kind: 'background', prompt: 'look', title: 'Looking' })).as(
      201,
      comesBack,
    )
    expect(fork).toMatchObject({ parentID: id, forkPoint: last, kind: 'background', title: 'Looking' })
    expect(fork.fork).toMatchObject({ prompt: 'look', kind: 'background' })
    await until('its end', async () => {
      const run = (await get(`/run/${fork.id}`)).as(200, routes.sideFork.result)
      return run?.outcome === 'finished'
    })
    ;(await post(place, { kind: 'background' })).refused(400, 'bad_input')
  })

  it('tells a reader of events what the set-up prints, and then which fork it is', async () => {
    const config = { permissions: { allow: ['run'] }, worktree: { setup: 'echo ready' } }
    const { events, place } = await talked({ files, config })
    const told = await Array.fromAsync(events(place, { files: 'worktree' }))
    expect(told).toMatchObject([
      { name: 'set-up', data: { kind: 'set-up', text: 'ready\n' } },
      { name: 'forked', data: { kind: 'forked', forked: { files: { mode: 'worktree' } } } },
    ])
  })

  it('is refused for a session or a message that is not there, and for one of another line', async () => {
    const { post, get, place, session: begin, turn, bough, id } = await talked()
    const elsewhere = await turn(await begin(), 'hello')
    for (const ask of [
      post,
      (path: string, query?: object) => get(`${path}?${new URLSearchParams({ ...query })}`),
    ]) {
      ;(await ask(`/session/${unknown.session}/fork`)).refused(404, 'not_found')
      ;(await ask(place, { messageID: unknown.message })).refused(404, 'not_found')
      ;(await ask(place, { messageID: elsewhere })).refused(400, 'not_on_line')
      ;(await ask(place, { agent: 'nobody' })).refused(400, 'agent_unknown')
    }
    expect(await bough.children(id)).toEqual([])
  })

  it('is refused at the head while a turn runs, and made at an earlier message and in the background', async () => {
    const { post, get, place, id, first, last, agent, bough } = await talked()
    const running = await bough.send(id, 'sleep 1')
    await agent.held(1)
    ;(await post(place)).refused(409, 'session_busy')
    ;(await get(place)).refused(409, 'session_busy')
    const early = (await post(place, { messageID: first, files: 'same' })).as(201, forked)
    expect(early.forkPoint).toBe(first)
    const beside = (await post(place, { kind: 'background', prompt: 'look' })).as(201, comesBack)
    expect(beside.forkPoint).toBe(last)
    agent.release(1)
    await running.ended
    await until('its end', async () => (await bough.sideFork(beside.id))?.state === 'ended')
    expect((await post(place, { files: 'same' })).status).toBe(201)
  })

  it('says which fields are wrong', async () => {
    const { post, ask, place, bough, id } = await talked()
    for (const [body, ...paths] of [
      [{ nonsense: 1 }, 'body'],
      [{ files: 'all' }, 'body.files'],
      [{ before: 'yes', messageID: 'msg_1' }, 'body.messageID', 'body.before'],
      [{ title: '', kind: 'twig' }, 'body.title', 'body.kind'],
      [{ idleTimeout: 0.5 }, 'body.idleTimeout'],
      [[], 'body'],
      ['text', 'body'],
    ] as const)
      expect((await post(place, body)).refused(400, 'bad_input').toSorted()).toEqual([...paths].toSorted())
    expect((await post('/session/ses_1/fork')).refused(400, 'bad_input')).toEqual(['path.id'])
    for (const body of [
      { topic: 'herons' },
      { idleTimeout: 5 },
      { kind: 'interactive', messageID: unknown.message },
      { kind: 'interactive', files: 'same' },
      { kind: 'background', prompt: 'look', context: 'seed' },
      { before: true },
    ])
      (await post(place, body)).refused(400, 'bad_input')
    const headers = { 'content-type': 'application/json' }
    ;(await ask(place, { method: 'POST', headers, body: '{' })).refused(400, 'bad_input')
    ;(await ask(place, { method: 'POST', body: '{}' })).refused(415, 'unsupported_media')
    expect(await bough.children(id)).toEqual([])
  })
})

describe('GET /session/{id}/fork', () => {
  it('tells before what then happens', async () => {
    const { get, post, place, first } = await talked({ files })
    for (const wanted of [
      { messageID: first },
      { messageID: first, before: 'true' },
      { files: 'same' },
      { messageID: first, files: 'clean' },
      { files: 'worktree' },
      { agent: 'scripted', files: 'same' },
      { context: 'seed', files: 'same' },
      { messageID: first, files: 'restore' },
    ]) {
      const preview = (await get(`${place}?${new URLSearchParams(wanted)}`)).as(
        200,
        routes.previewFork.result,
      )
      const context = await get(`${place}/context?${new URLSearchParams(wanted)}`)
      expect(context.as(200, routes.forkContext.result)).toEqual(preview.context)
      const { before, ...body } = { before: undefined, ...wanted }
      const fork = (await post(place, { ...body, ...(before && { before: true }) })).as(201, forked)
      expect(fork.context).toEqual(preview.context)
      // Where the new worktree is can only be told afterwards.
      const { notices: _, ...filesBefore } = preview.files
      expect(fork.files).toMatchObject(filesBefore)
    }
  })
})

describe('GET /session/{id}/fork, before anybody decides', () => {
  it('tells why it is native or by a seed, tokens against the window, and how many files are not committed', async () => {
    const { get, place, id, first, bough, directory } = await talked({ files })
    const line = (await bough.messages(id)).map((message) => message.id)
    const preview = async (query: Readonly<Record<string, string>>) =>
      (await get(`${place}?${new URLSearchParams(query)}`)).as(200, routes.previewFork.result)
    const native = await preview({ files: 'same' })
    expect(native.context).toEqual({ kind: 'native', why: 'offline itself begins at that point.' })
    expect(native.status).toMatchObject({ messages: line.length, window: null, git: { branch: 'main' } })
    const dirty = native.status?.git?.dirty ?? 0
    writeFileSync(join(directory, 'not committed.txt'), 'new\n')
    const early = await preview({ messageID: first, files: 'same' })
    expect(early.status).toMatchObject({ messages: line.indexOf(first) + 1, git: { dirty: dirty + 1 } })
    expect(early.status?.tokens).toBeLessThan(native.status?.tokens ?? 0)
    const seeded = await preview({ agent: 'scripted', files: 'same' })
    expect(seeded.context).toMatchObject({ kind: 'seed', why: 'The conversation before was with offline.' })
    expect(seeded.status).toMatchObject({ messages: line.length, window: 200_000 })
    expect((await preview({ files: 'same', status: 'false' })).status).toBeNull()
    ;(await get(`${place}?nonsense=1`)).refused(400, 'bad_input')
  })
})

describe('many forks at once', () => {
  const many = count(500, 50)

  it(`of one session are all right: ${many}`, async () => {
    const { get, post, place, id, last, bough } = await talked()
    const answers = await Promise.all(
      Array.from({ length: many }, (_, i) => post(place, { title: `${i}`, files: 'same' })),
    )
    const forks = answers.map((answer) => answer.as(201, forked))
    expect(new Set(forks.map((fork) => fork.id)).size).toBe(many)
    expect(forks.map(({ title }) => title)).toEqual(Array.from({ length: many }, (_, i) => `${i}`))
    for (const fork of forks) expect(fork).toMatchObject({ parentID: id, forkPoint: last, messages: 0 })
    const tree = (await get(`/session/${id}/tree`)).as(200, routes.treeAround.result)
    expect(tree.map((row) => row.id).toSorted()).toEqual([id, ...forks.map((fork) => fork.id)].toSorted())
    expect(tree.every((row) => row.depth === (row.id === id ? 0 : 1))).toBe(true)
    const children = (await get(`/session/${id}/children`)).as(200, routes.children.result)
    expect(children.map((child) => child.id).toSorted()).toEqual(forks.map((fork) => fork.id).toSorted())
    const line = await bough.messages(id)
    for (const fork of forks)
      expect((await get(`/session/${fork.id}/message`)).as(200, routes.messages.result)).toEqual(line)
  })
})
