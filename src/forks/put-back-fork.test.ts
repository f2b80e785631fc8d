import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../../test/support/until.ts'
import type { SessionID } from '../tree/ids.ts'
import { Ground } from './side/testing/ground.ts'

/** A side conversation in which the agent has changed a.txt, made new.txt and deleted old.txt. */
async function inFork() {
  const ground = await Ground.open()
  const at = (path: string) => join(ground.directory, path)
  const read = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null)
  await ground.say('write a.txt: one\nwrite b.txt: b\nwrite old.txt: old')
  await ground.fork()
  const fork = (await ground.openFork()).sessionID
  await ground.say('write a.txt: two\nwrite new.txt: new\ndelete old.txt')
  return { ground, fork, at, read, bough: ground.bough }
}

const files = ['a.txt', 'new.txt', 'old.txt']
const asFound = ['one\n', null, 'old\n']
const asLeft = ['two\n', 'new\n', null]

describe('a side conversation that ends', () => {
  it('lists the files that it changed, and keeps them', async () => {
    const { fork, bough, read } = await inFork()
    const ended = await bough.exit(fork, { action: 'discard' })
    expect(ended.words).toContain('It changed 3 files, which stay: a.txt, new.txt, old.txt.')
    expect(ended.files).toEqual({
      changes: [
        { path: 'a.txt', change: 'changed' },
        { path: 'new.txt', change: 'added' },
        { path: 'old.txt', change: 'deleted' },
      ],
      isPartial: false,
      worktree: null,
    })
    expect(files.map(read)).toEqual(asLeft)
  })

  it('says nothing of files where it changed none', async () => {
    const ground = await Ground.open()
    await ground.say('write a.txt: one')
    await ground.fork()
    await ground.say('hello')
    const ended = await ground.bough.exit((await ground.openFork()).sessionID, { action: 'discard' })
    expect(ended.words).toBe('The fork was discarded: nothing of it went to the main conversation.')
  })

  it('puts its files back where that is wanted, and says so; undo takes it back', async () => {
    const { fork, bough, read, ground } = await inFork()
    const ended = await bough.exit(fork, { action: 'discard', files: 'put-back' })
    expect(ended.words).toContain('3 files put back as it found them. "bough undo" takes it back.')
    expect(ended.restored?.changes).toHaveLength(3)
    expect(files.map(read)).toEqual(asFound)
    await bough.undo(ground.directory)
    expect(files.map(read)).toEqual(asLeft)
  })

  it('ends also where its files cannot be put back, and names those', async () => {
    const { fork, bough, read, at } = await inFork()
    writeFileSync(at('a.txt'), 'mine\n')
    const ended = await bough.exit(fork, { action: 'discard', files: 'put-back' })
    expect(ended).toMatchObject({ outcome: 'discarded', words: expect.stringContaining('too: a.txt.') })
    expect(ended.restored).toBeUndefined()
    expect(files.map(read)).toEqual(['mine\n', 'new\n', null])
  })
})

describe('a background run that ends', () => {
  const banners = (ground: Ground) => ground.front.kind('ended')

  it('tells the person which files it changed, and they can be put back', async () => {
    const ground = await Ground.open()
    await ground.say('write a.txt: one')
    const { sessionID } = await ground.run('write a.txt: two')
    const [banner] = await until('the banner', () => banners(ground).length > 0 && banners(ground))
    expect(banner?.words).toBe(
      'The background run “write a.txt: two” is over. It changed 1 file, which stays: a.txt.',
    )
    expect((await ground.bough.putBack(sessionID)).changes).toEqual([{ path: 'a.txt', change: 'changed' }])
    expect(readFileSync(join(ground.directory, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('is silent where it changed none', async () => {
    const ground = await Ground.open()
    await ground.run('hello')
    await ground.looked()
    expect(ground.front.sent).toEqual([])
  })

  it('that is stopped at work says what it has changed by then', async () => {
    const ground = await Ground.open()
    await ground.say('write a.txt: one')
    const { sessionID } = await ground.bough.runBackground(ground.channelID, 'write a.txt: two\nsleep 1')
    await ground.held(1)
    const ended = await ground.bough.exit(sessionID, { action: 'discard', files: 'put-back' })
    expect(ended.words).toContain('It changed 1 file, which stays: a.txt.')
    expect(readFileSync(join(ground.directory, 'a.txt'), 'utf8')).toBe('one\n')
  })
})

describe('putting an ended fork’s files back', () => {
  const discarded = async () => {
    const made = await inFork()
    await made.bough.exit(made.fork, { action: 'discard' })
    return made
  }
  const refused = (fork: SessionID, { bough }: Ground, path: string) =>
    expect(bough.putBack(fork)).rejects.toMatchObject({
      code: 'restore_failed',
      message: expect.stringContaining(path),
    })

  it('leaves alone all that the fork has not changed, and can be tried before', async () => {
    const { fork, bough, read, at } = await discarded()
    writeFileSync(at('b.txt'), 'mine\n')
    writeFileSync(at('c.txt'), 'mine, too\n')
    expect((await bough.putBack(fork, { dryRun: true })).changes).toHaveLength(3)
    expect(files.map(read)).toEqual(asLeft)
    await bough.putBack(fork)
    expect([...files, 'b.txt', 'c.txt'].map(read)).toEqual([...asFound, 'mine\n', 'mine, too\n'])
  })

  it('does nothing a second time', async () => {
    const { fork, bough, read } = await discarded()
    await bough.putBack(fork)
    expect((await bough.putBack(fork)).changes).toEqual([])
    expect(files.map(read)).toEqual(asFound)
  })

  it('is refused where the person has changed one of them since, and changes nothing', async () => {
    const { fork, ground, read, at } = await discarded()
    writeFileSync(at('new.txt'), 'mine\n')
    await refused(fork, ground, 'new.txt')
    expect(files.map(read)).toEqual(['two\n', 'mine\n', null])
  })

  it('is refused where a turn of main has changed one of them since', async () => {
    const { fork, ground } = await discarded()
    await ground.say('write a.txt: three')
    await refused(fork, ground, 'a.txt')
  })

  it('is refused where somebody has changed one of them between two of its turns', async () => {
    const { fork, ground, at } = await inFork()
    writeFileSync(at('a.txt'), 'mine\n')
    await ground.say('write a.txt: four')
    await ground.bough.exit(fork, { action: 'discard' })
    await refused(fork, ground, 'a.txt')
  })

  it('does not touch what later turns of that session did', async () => {
    const { fork, ground, read } = await discarded()
    await ground.bough.send(fork, 'write later.txt: later').then(({ ended }) => ended)
    await ground.bough.putBack(fork)
    expect([...files, 'later.txt'].map(read)).toEqual([...asFound, 'later\n'])
  })

  it('is refused while the fork is open, and for sessions that are none', async () => {
    const { fork, bough, ground } = await inFork()
    await expect(bough.putBack(fork)).rejects.toMatchObject({ code: 'fork_open' })
    await expect(bough.putBack(await ground.main())).rejects.toMatchObject({ code: 'bad_input' })
  })
})
