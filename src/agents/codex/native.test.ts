import { readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { isRunning } from '../../process-identity.ts'
import { newDirectory, newRepository, person } from '../../workspace/testing/ground.ts'
import { worktreesOf } from '../../workspace/worktree/worktrees-of.ts'
import { createCodexDriver } from './codex.ts'
import {
  byHand,
  conversation,
  heardOf,
  inWords,
  native,
  otherServer,
  program,
  rolloutOf,
  serversOf,
  talk,
  unknownID,
} from './native-rig.ts'
import { threadReply } from './protocol.ts'
import { mcpRelay, nativeIDIn, startRig } from './test-rig.ts'

test('sessions of a directory and its worktrees are listed with titles, the newest first', async () => {
  const rig = await startRig()
  const root = await newRepository()
  const worktree = join(await newDirectory(), 'other tree')
  person(root, 'worktree', 'add', '-q', '-b', 'other', worktree)
  const first = await talk(rig, ['Fix it\nplease'], root)
  const second = await talk(rig, ['In the worktree'], worktree)
  const elsewhere = await talk(rig, ['Elsewhere'])
  await byHand({ ...rig, cwd: root }, 'By hand')
  const server = await otherServer(rig)
  await server.request('thread/name/set', { threadId: second.nativeID, name: 'My tree' })

  const listed = await native(rig).list(root)
  expect(listed.map(({ title, directory }) => [title, directory])).toEqual([
    ['By hand', root],
    ['My tree', worktree],
    ['Fix it', root],
  ])
  expect((await native(rig).list(worktree)).map(({ title }) => title)).toEqual([
    'By hand',
    'My tree',
    'Fix it',
  ])
  expect((await native(rig).list(rig.cwd)).map(({ nativeID }) => nativeID)).toEqual([elsewhere.nativeID])
  const one = listed.find(({ nativeID }) => nativeID === first.nativeID)
  expect(one?.bytes).toBe((await stat(await rolloutOf(rig, first.nativeID))).size)
  expect(Math.abs((one?.created ?? 0) - Date.now())).toBeLessThan(60_000)
  expect(one?.updated).toBeGreaterThanOrEqual(one?.created ?? Number.NaN)

  await server.request('thread/archive', { threadId: first.nativeID })
  expect((await native(rig).list(root)).map(({ title }) => title)).toEqual(['By hand', 'My tree'])
})

test('all sessions of a directory are listed, however many', async () => {
  const rig = await startRig()
  const prompts = Array.from({ length: 60 }, (_, i) => `Prompt ${i}`)
  const server = await otherServer(rig)
  await Promise.all(
    prompts.map(async (text) => {
      const { thread } = threadReply.parse(await server.request('thread/start', { cwd: rig.cwd }))
      const input = [{ type: 'text', text, text_elements: [] }]
      await server.request('turn/start', { threadId: thread.id, input })
    }),
  )
  await until('the model to be asked', () => rig.fake.requests.length === prompts.length, 60_000)
  const titles = await until('all of them', async () => {
    const listed = await native(rig).list(rig.cwd)
    return listed.length === prompts.length && listed.map(({ title }) => title)
  })
  expect(titles.toSorted()).toEqual(prompts.toSorted())
})

test('a directory is also found through a link to it', async () => {
  const rig = await startRig()
  await talk(rig, ['Hello'])
  const link = join(await newDirectory(), 'link')
  await symlink(rig.cwd, link)
  expect((await native(rig).list(link)).map(({ title }) => title)).toEqual(['Hello'])
})

test('a fork tells what it was forked from, and the last turn that it shares', async () => {
  const rig = await startRig()
  const { nativeID, turns } = await talk(rig, ['One', 'Two', 'Three'])
  const start = { kind: 'fork', nativeID, at: turns[1] ?? '' } as const
  const fork = await rig.open({ start })
  const forkID = nativeIDIn(await fork.turn('Other'))
  const { session } = await native(rig).read(forkID)
  expect(session).toMatchObject({ nativeID: forkID, title: 'Other', forkedFrom: { nativeID, at: turns[1] } })
  expect(await inWords(rig, forkID)).toEqual(conversation('One', 'Two', 'Other'))
  expect((await native(rig).read(nativeID)).session.forkedFrom).toBeNull()
})

test('a fork is whole when the session it was forked from is rewound', async () => {
  const rig = await startRig()
  const { nativeID, turns } = await talk(rig, ['One', 'Two', 'Three'])
  const start = { kind: 'fork', nativeID, at: turns[1] ?? '' } as const
  const { nativeID: forkID } = await native(rig).command(start, rig.cwd)
  const server = await otherServer(rig)
  await server.request('thread/resume', { threadId: nativeID })
  await server.request('thread/revert', { threadId: nativeID, beforeTurnId: turns[1] ?? '' })
  expect(await inWords(rig, forkID)).toEqual(conversation('One', 'Two'))
  expect((await native(rig).read(forkID)).session.forkedFrom).toEqual({ nativeID, at: turns[0] })
  await byHand(rig, 'resume', forkID, 'Other')
  expect(rig.heard()).toEqual(heardOf('One', 'Two', 'Other'))
})

test('the command to resume goes on in the same session, where Codex was left', async () => {
  const rig = await startRig()
  const { nativeID, turns } = await talk(rig, ['One'])
  const start = { kind: 'resume', nativeID, at: turns[0] ?? null } as const
  const { command, ...rest } = await native(rig).command(start, rig.cwd)
  expect(command).toEqual([program, 'resume', nativeID])
  expect(rest).toEqual({ nativeID })
  await byHand(rig, ...command.slice(1), 'Two')
  expect(rig.heard()).toEqual(heardOf('One', 'Two'))
})

test('the command to fork makes a session that nobody holds, while others run, and leaves the parent', async () => {
  const rig = await startRig()
  const { nativeID, turns } = await talk(rig, ['One', 'Two'])
  // So that the server stays.
  const bystander = await rig.open()
  const start = { kind: 'fork', nativeID, at: turns[0] ?? '' } as const
  const { command, nativeID: forkID } = await native(rig).command(start, rig.cwd)
  expect(command).toEqual([program, 'resume', forkID])
  expect(forkID).not.toBe(nativeID)
  expect(await inWords(rig, forkID)).toEqual(conversation('One'))
  await byHand(rig, ...command.slice(1), 'Other')
  expect(rig.heard()).toEqual(heardOf('One', 'Other'))
  expect(await inWords(rig, forkID)).toEqual(conversation('One', 'Other'))
  expect(await inWords(rig, nativeID)).toEqual(conversation('One', 'Two'))
  expect(await readFile(join(rig.env.CODEX_HOME ?? '', 'config.toml'), 'utf8')).not.toContain('trust_level')
  await bystander.turn('Still here?')
})

test('a Codex on the PATH is called by its name', async () => {
  const rig = await startRig()
  const bin = await newDirectory()
  await symlink(program, join(bin, 'codex'))
  const env = { ...rig.env, PATH: `${bin}:${process.env.PATH}` }
  const driver = createCodexDriver({ env, mcpCommand: mcpRelay, worktreesOf })
  onTestFinished(() => driver.close())
  const start = { kind: 'resume', nativeID: unknownID, at: null } as const
  const { command } = await native({ driver }).command(start, rig.cwd)
  expect(command[0]).toBe('codex')
})

test('a session that is not there is missing, and so is one whose file is gone', async () => {
  const rig = await startRig()
  const { nativeID, turns } = await talk(rig, ['One'])
  const bystander = await rig.open()
  await rm(await rolloutOf(rig, nativeID))
  for (const id of [unknownID, 'nonsense', nativeID]) {
    expect(await native(rig).version(id)).toBeNull()
    await expect(native(rig).read(id)).rejects.toMatchObject({ code: 'native_missing' })
    const start = { nativeID: id, at: turns[0] ?? '' }
    for (const kind of ['resume', 'fork'] as const)
      await expect(rig.open({ start: { kind, ...start } })).rejects.toMatchObject({ code: 'native_missing' })
  }
  await bystander.turn('Still here?')
})

test('a session whose file is damaged is unreadable, and says so', async () => {
  const rig = await startRig()
  const { nativeID, turns } = await talk(rig, ['One'])
  await writeFile(await rolloutOf(rig, nativeID), 'not a thread\n')
  await expect(native(rig).read(nativeID)).rejects.toMatchObject({
    code: 'native_unreadable',
    message: 'Codex has this session, but cannot read it: its file is damaged.',
  })
  const start = { nativeID, at: turns[0] ?? '' }
  for (const kind of ['resume', 'fork'] as const)
    await expect(rig.open({ start: { kind, ...start } })).rejects.toMatchObject({ code: 'native_unreadable' })
})

test('a question leaves no process behind, and one that opens a session meanwhile records it', async () => {
  const rig = await startRig()
  const { nativeID } = await talk(rig, ['One'])
  await native(rig).read(nativeID)
  await expect.poll(() => serversOf(rig)).toEqual([])
  const [, { recorded, turn, connection }] = await Promise.all([native(rig).list(rig.cwd), rig.open()])
  expect(recorded).toEqual(await serversOf(rig))
  await turn('Hello')
  await connection.close()
  await expect.poll(() => recorded.map(isRunning)).toEqual([false])
})

test('the context window is what the person has set, else the usual one', async () => {
  const rig = await startRig()
  expect(await rig.driver.contextWindow(null)).toBe(272_000)
  await rig.configure('model = "fake-model"', 'model = "fake-model"\nmodel_context_window = 100000')
  expect(await (await rig.another()).contextWindow(null)).toBe(100_000)
  // It is asked once.
  expect(await rig.driver.contextWindow(null)).toBe(272_000)
})
