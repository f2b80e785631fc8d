import { describe, expect, it } from 'vitest'
import { turn } from '../../test/support/bough.ts'
import { newProject } from '../../test/support/project.ts'
import type { Bough } from '../bough.ts'
import { Ground } from '../forks/side/testing/ground.ts'
import type { SessionID } from '../tree/ids.ts'

/** One turn; what its agent was told before the prompt, and what the person was told. */
async function ask(bough: Bough, id: SessionID, text: string) {
  const { prompt, events } = await bough.send(id, text)
  const notices: string[] = []
  for await (const event of events) if (event.type === 'notice') notices.push(event.text)
  const told = prompt.parts.flatMap((part) => (part.type === 'context' ? part.text : [])).join('\n')
  return { told, notices: notices.join('\n') }
}

describe('two sessions in one directory', () => {
  it('each is told before its next turn which files the other changed since its last one, once', async () => {
    const { bough, root, sessionID: first } = await newProject()
    await turn(bough, first, 'write a.txt: one')
    const { id: second } = await bough.create({ directory: root, title: 'The other' })
    await turn(bough, second, 'write a.txt: two\nwrite b.txt: two')
    const { told, notices } = await ask(bough, first, 'write c.txt: one')
    expect(told).toContain('the session “The other” has changed files here: a.txt, b.txt. Read them again')
    expect(notices).toContain(
      '“The other” has changed files here since the last turn of this session: a.txt, b.txt.',
    )
    expect(await ask(bough, first, 'Say: again')).toEqual({ told: '', notices: '' })
    expect((await ask(bough, second, 'Say: what?')).told).toContain(
      '“The project” has changed files here: c.txt.',
    )
  })

  it('is told nothing of files that are by now as it knows them, nor of turns that changed none', async () => {
    const { bough, root, sessionID: first } = await newProject()
    await turn(bough, first, 'write a.txt: one')
    const { id: second } = await bough.create({ directory: root })
    await turn(bough, second, 'write a.txt: two')
    await turn(bough, second, 'write a.txt: one\nSay: nothing')
    expect(await ask(bough, first, 'Say: hello')).toEqual({ told: '', notices: '' })
  })

  it('is told nothing of a session in a worktree of its own, nor of what it inherits', async () => {
    const { bough, sessionID } = await newProject()
    await turn(bough, sessionID, 'write a.txt: one')
    const beside = await bough.fork(sessionID, { files: 'worktree' })
    expect((await ask(bough, beside.id, 'write a.txt: two')).told).toBe('')
    expect(await ask(bough, sessionID, 'Say: hello')).toEqual({ told: '', notices: '' })
  })

  it('a fork at an earlier message in the same directory is told what was changed there since', async () => {
    const { bough, sessionID, turn: next } = await newProject()
    const first = await next('write a.txt: one')
    await next('write a.txt: two')
    const fork = await bough.fork(sessionID, { messageID: first, files: 'same' })
    expect((await ask(bough, fork.id, 'Say: hello')).told).toContain(
      '“The project” has changed files here: a.txt.',
    )
  })

  it('main is told what a side conversation left behind', async () => {
    const ground = await Ground.open()
    await ground.say('write a.txt: one')
    await ground.fork('write a.txt: two')
    await ground.exit('discard')
    await ground.say('hello')
    expect(await ground.contextOfLast(await ground.main())).toContain('has changed files here: a.txt.')
  })

  it('a turn that begins beside a running one in the same directory says so', async () => {
    const ground = await Ground.open()
    const { bough, directory } = ground
    const busy = await bough.create({ directory, title: 'Busy' })
    await bough.send(busy.id, 'sleep 1')
    await ground.held(1)
    const { id } = await bough.create({ directory })
    const { told, notices } = await ask(bough, id, 'Say: hello')
    expect(told).toContain('The session “Busy” is at work in this directory right now')
    expect(notices).toContain('“Busy” is at work in this directory, too.')
    ground.release(1)
  })
})
