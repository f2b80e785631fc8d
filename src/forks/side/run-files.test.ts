import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newProject, type ProjectOptions } from '../../../test/support/project.ts'
import { until } from '../../../test/support/until.ts'
import type { RunOptions } from '../../tree/side-fork.ts'
import { filesIn, person, put } from '../../workspace/testing/ground.ts'

const tool = (name: string, args: unknown): string => `tool ${name} ${JSON.stringify(args)}`

/** A project whose timers run, and background runs of its session. */
async function running(options: ProjectOptions = {}) {
  const project = await newProject({ lookEvery: 20, ...options })
  const { bough, sessionID, root } = project
  await project.turn('write a.txt: main')
  await bough.keepTime()
  const run = async (prompt: string, wishes: RunOptions = {}) => {
    const { sessionID: id } = await bough.runBackground(sessionID, prompt, wishes)
    const fork = await until('its end', async () => {
      const found = await bough.sideFork(id)
      return found?.state === 'ended' && found
    })
    const { directory } = await bough.session(id)
    const { id: channelID } = await bough.channelOf(sessionID)
    const banners = (await bough.sent(channelID))
      .map(({ what }) => what)
      .filter(({ kind }) => kind === 'ended')
    return { fork, directory, banner: banners.map((what) => ('words' in what ? what.words : '')).join('\n') }
  }
  return { ...project, run, read: (path: string) => readFileSync(join(root, path), 'utf8') }
}

describe('the files of a background run', () => {
  it('are those of the directory, unless said otherwise', async () => {
    const { run, root, read } = await running()
    expect((await run('write a.txt: run')).directory).toBe(root)
    expect(read('a.txt')).toBe('run\n')
  })

  it('are in a worktree where that is wanted, and its end says where', async () => {
    const { run, root, read } = await running()
    put(root, { 'mine.txt': 'mine\n' })
    const { fork, directory, banner } = await run('write a.txt: run', { files: 'worktree' })
    expect(fork.outcome).toBe('finished')
    expect(read('a.txt')).toBe('main\n')
    expect(filesIn(directory)).toEqual({ 'a.txt': '100644 run\n', 'mine.txt': '100644 mine\n' })
    const branch = person(directory, 'branch', '--show-current').trim()
    expect(banner).toContain(`It changed 1 file, which stays in ${directory}, on branch ${branch}: a.txt.`)
  })

  it('are those of the commit alone where that is wanted', async () => {
    const { run } = await running()
    const { directory } = await run('write b.txt: run', { files: 'clean' })
    expect(filesIn(directory)).toEqual({ 'a.txt': '100644 a\n', 'b.txt': '100644 run\n' })
  })

  it('are named to main with what it reports', async () => {
    const { run, bough } = await running()
    const { directory } = await run(tool('report_updates', { message: 'Done.' }), { files: 'worktree' })
    const [update] = await bough.updates()
    expect(update?.text).toContain('Done.')
    expect(update?.text).toContain(`Its files are in ${directory}, on branch bough/`)
  })

  it('are what the person has set; where that cannot be had they are the same, and a notice says why', async () => {
    const config = { forks: { background: { files: 'worktree' } } }
    const { run, root } = await running({ config })
    expect((await run('hello')).directory).not.toBe(root)
    expect((await run('hello', { files: 'same' })).directory).toBe(root)
    const plain = await running({ config, git: false })
    const { directory, fork } = await plain.run('hello')
    expect([directory, fork.outcome]).toEqual([plain.root, 'finished'])
    const notices = (await plain.bough.messages(fork.sessionID)).flatMap(({ role, parts }) =>
      role === 'system' ? parts : [],
    )
    expect(notices).toMatchObject([{ text: expect.stringContaining('no git project') }])
    await expect(
      plain.bough.runBackground(plain.sessionID, 'hello', { files: 'worktree' }),
    ).rejects.toMatchObject({ code: 'worktree_failed' })
  })

  it('are what an agent asks for with run_background', async () => {
    const { turn, bough, sessionID } = await running()
    await turn(tool('run_background', { prompt: 'write a.txt: run', files: 'worktree' }))
    const [fork] = await until('its end', async () => {
      const forks = await bough.sideForks()
      return forks[0]?.state === 'ended' && forks
    })
    expect((await bough.session(fork?.sessionID ?? sessionID)).workspaceID).not.toBeNull()
  })

  it('of a routine are what the routine says', async () => {
    const { bough, sessionID, root } = await running()
    const routine = await bough.addRoutine(sessionID, { cron: '0 8 * * *', prompt: 'hello', files: 'clean' })
    expect(await bough.schedules()).toMatchObject([{ files: 'clean' }])
    const run = await bough.runSchedule(routine.id)
    const { directory } = await bough.session(run?.sessionID ?? sessionID)
    expect(directory).not.toBe(root)
    expect(existsSync(directory)).toBe(true)
    await until('its end', async () => (await bough.sideFork(run?.sessionID ?? sessionID))?.state === 'ended')
  })
})

describe('forks.files', () => {
  it('is what auto prefers, where it can be had', async () => {
    const { bough, sessionID, root } = await newProject({ config: { forks: { files: 'worktree' } } })
    const fork = await bough.fork(sessionID)
    expect(fork.files).toMatchObject({ mode: 'worktree', why: 'Your setting forks.files says so.' })
    expect((await bough.fork(sessionID, { files: 'same' })).directory).toBe(root)
    const plain = await newProject({ config: { forks: { files: 'clean' } }, git: false })
    await plain.turn('write a.txt: one')
    expect((await plain.bough.fork(plain.sessionID)).files.mode).toBe('same')
  })

  it('can be the same directory, whatever has changed in it', async () => {
    const { bough, sessionID, root, turn } = await newProject({ config: { forks: { files: 'same' } } })
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    expect((await bough.fork(sessionID, { messageID: first })).directory).toBe(root)
  })
})
