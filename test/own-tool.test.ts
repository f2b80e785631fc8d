import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Bough } from '../src/bough.ts'
import type { MessageID, SessionID } from '../src/tree/ids.ts'
import { begin, type Ground } from './support/agent-ground.ts'
import { turn } from './support/bough.ts'
import { type RealAgent, realClaude, realCodex } from './support/real-agents.ts'
import { variants } from './support/size.ts'
import { until } from './support/until.ts'

const linesOf = async (bough: Bough, id: SessionID): Promise<readonly string[]> =>
  (await bough.messages(id))
    .filter(({ role }) => role !== 'system')
    .map(({ role, text }) => `${role}: ${text}`)

const told = (...prompts: readonly string[]): readonly string[] =>
  prompts.flatMap((prompt) => [`user: ${prompt}`, `assistant: reply to ${prompt}`])

/** A session of a few turns that nobody has open any more, and its native session. */
async function closed(ground: Ground, ...prompts: readonly string[]) {
  const { bough, sessionID, say } = ground
  const ends: MessageID[] = []
  for (const prompt of prompts) ends.push(await say(prompt))
  const { nativeID } = await bough.session(sessionID)
  if (nativeID === null) throw new Error('no native session')
  const entries = (await bough.messages(sessionID)).filter(({ id }) => ends.includes(id))
  return { nativeID, entries: entries.map((message) => message.nativeID ?? '') }
}

/** Takes a native session away, as a person might who cleans up. */
function removeFiles({ home }: RealAgent, nativeID: string): void {
  const found = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.includes(nativeID) && path.endsWith('.jsonl'),
  )
  expect(found).not.toEqual([])
  for (const path of found) rmSync(join(home, path))
}

/** Everything that is known of one is let go of. */
const letGo = { idleAfter: 1 }

describe.each(
  variants([
    ['claude', realClaude],
    ['codex', realCodex],
  ] as const),
)('a session of %s', (name, real) => {
  it('that went on in its own tool is complete and in order when it is opened again', async () => {
    const ground = await begin(real, letGo)
    const { agent, bough, root, sessionID, say, received } = ground
    const { nativeID } = await closed(ground, 'one', 'two')
    await agent.byHand(root, 'by hand', { nativeID })
    await agent.byHand(root, 'and again', { nativeID })
    await until('it to be let go', async () => (await bough.reopen(sessionID)).added > 0)
    expect(await linesOf(bough, sessionID)).toEqual(told('one', 'two', 'by hand', 'and again'))
    expect((await bough.reopen(sessionID)).added).toBe(0)
    await say('three')
    expect(received()).toEqual([...told('one', 'two', 'by hand', 'and again'), 'user: three'])
    await agent.byHand(root, 'once more', { nativeID })
    await say('four')
    expect(received().slice(-4)).toEqual([
      ...['assistant: reply to three', 'user: once more', 'assistant: reply to once more', 'user: four'],
    ])
    expect(await linesOf(bough, sessionID)).toEqual(
      told('one', 'two', 'by hand', 'and again', 'three', 'once more', 'four'),
    )
  })

  it('that was rewound in its own tool has a branch, and what it had stays and goes on', async () => {
    const ground = await begin(real, letGo)
    const { agent, bough, root, sessionID, say, received } = ground
    const { nativeID, entries } = await closed(ground, 'one', 'two', 'three')
    await agent.byHand(root, 'otherwise', { nativeID, rewindTo: entries[0] ?? '' })
    let branchID: SessionID | null = null
    await until('it to be let go', async () => {
      branchID ??= (await bough.reopen(sessionID)).branchID
      return branchID !== null
    })
    const [branch] = await bough.children(sessionID)
    if (!branch) throw new Error('no branch')
    expect([branch.id, branch.title, branch.nativeID]).toEqual([branchID, 'otherwise', nativeID])
    expect(await linesOf(bough, branch.id)).toEqual(told('one', 'otherwise'))
    expect(await linesOf(bough, sessionID)).toEqual(told('one', 'two', 'three'))
    await say('on', branch.id)
    expect(received()).toEqual([...told('one', 'otherwise'), 'user: on'])
    await say('four')
    const [seed = '', ...rest] = received()
    expect(seed).toMatch(/=== user ===\none\n.*=== user ===\nthree\n/s)
    expect([seed.includes('otherwise'), rest]).toEqual([false, ['assistant: Ready.', 'user: four']])
    expect(await linesOf(bough, sessionID)).toEqual(told('one', 'two', 'three', 'four'))
  })

  it('whose file is gone opens from the tree, says so, and goes on by a seed', async () => {
    const ground = await begin(real, letGo)
    const { agent, bough, sessionID, say, received } = ground
    const { nativeID } = await closed(ground, 'one', 'two')
    const fork = await bough.fork(sessionID, { files: 'same' })
    removeFiles(agent, nativeID)
    await until('it to be let go', async () => (await bough.reopen(sessionID)).missing !== null)
    await say('three')
    expect(received().slice(1)).toEqual(['assistant: Ready.', 'user: three'])
    expect(await linesOf(bough, sessionID)).toEqual(told('one', 'two', 'three'))
    await say('four')
    expect(received().slice(2)).toEqual([...told('three'), 'user: four'])
    await say('in the fork', fork.id)
    expect(received().slice(1)).toEqual(['assistant: Ready.', 'user: in the fork'])
    expect(await bough.seed(fork.id)).toMatchObject({ state: 'sent', hidden: true })
  })

  it('whose seed bough did not live to see answered goes on, and shows what stands in its file', async () => {
    const { agent, bough, sessionID, start, say, received } = await begin(real)
    await say('one')
    await say('on the first 1 seeds: slow 60')
    const forking = start('fork', sessionID, '--context', 'seed', '--files', 'same')
    await until(
      'the seed to be sent',
      () => agent.conversations().at(-1)?.[0]?.includes('bough seed') === true,
    )
    forking.child.kill('SIGKILL')
    await forking.ended
    const [fork] = await bough.children(sessionID)
    if (!fork) throw new Error('no fork')
    expect((await bough.messages(fork.id)).filter((each) => each.sessionID === fork.id)).toEqual([])
    await say('on', fork.id)
    expect(received().at(-1)).toBe('user: on')
    expect(received().filter((line) => line.includes('=== user ===\none\n'))).toHaveLength(1)
    expect(await bough.seed(fork.id)).toMatchObject({ state: 'sent' })
  })

  it('that began in its own tool is listed, adopted, forked and left as it was', async () => {
    const { agent, bough, root, received, start } = await begin(real)
    await agent.byHand(root, 'one')
    const { sessions, notices } = await bough.adoptable({ directory: root })
    const [found, ...others] = sessions
    if (!found) throw new Error('nothing found')
    expect(notices).toEqual([])
    expect([found.agent, found.title, found.directory, found.sessionID, others]).toEqual([
      ...[name, 'one', root, null],
      [],
    ])
    const session = await bough.adopt(found)
    expect(await linesOf(bough, session.id)).toEqual(told('one'))
    expect((await bough.adopt(found)).id).toBe(session.id)
    const version = await agent.driver.native?.version(found.nativeID)
    const fork = await bough.fork(session.id, { files: 'same' })
    expect(fork.context).toMatchObject({ kind: 'native' })
    await turn(bough, fork.id, 'in the fork')
    expect(received()).toEqual([...told('one'), 'user: in the fork'])
    expect(await agent.driver.native?.version(found.nativeID)).toBe(version)
    const listed = await start('import', '--json', '--agent', name).ended
    expect(
      JSON.parse(listed.stdout)
        .map((each: { sessionID: string }) => each.sessionID)
        .toSorted(),
    ).toEqual([session.id, fork.id].toSorted())
  })

  it('goes on in its own tool by the command that is printed, or run', async () => {
    const { agent, bough, root, sessionID, say, start, received } = await begin(real, letGo)
    const first = await say('one')
    await say('two')
    const fork = await bough.fork(sessionID, { messageID: first, files: 'same' })
    const printed = await start('resume', fork.id).ended
    expect(printed.stdout).toMatch(new RegExp(`^cd ${RegExp.escape(root)} && .*resume `))
    const { nativeID } = await bough.session(fork.id)
    await agent.byHand(root, 'by hand', { nativeID: nativeID ?? '' })
    expect(received()).toEqual([...told('one'), 'user: by hand'])
    expect(await bough.reopen(fork.id)).toMatchObject({ added: 2 })
    expect(await linesOf(bough, fork.id)).toEqual(told('one', 'by hand'))
    if (name !== 'claude') return
    const run = await start('resume', fork.id, '--exec', '--', '-p', 'from bough').ended
    expect(run).toMatchObject({ code: 0, stdout: 'reply to from bough\n' })
    expect(run.stderr).toContain('2 messages joined')
    expect(await linesOf(bough, fork.id)).toEqual(told('one', 'by hand', 'from bough'))
  })

  it('that was forked in its own tool is a fork here too, where the tool has recorded that', async () => {
    const ground = await begin(real, letGo)
    const { agent, bough, root, sessionID } = ground
    const { nativeID, entries } = await closed(ground, 'one', 'two')
    const forkID = await agent.forkByHand(nativeID, entries[0] ?? '')
    await agent.byHand(root, 'otherwise', { nativeID: forkID })
    const adopted = await bough.adopt({ agent: name, nativeID: forkID })
    expect(adopted).toMatchObject({ parentID: sessionID, kind: 'branch', messages: 2 })
    expect(await linesOf(bough, adopted.id)).toEqual(told('one', 'otherwise'))
    const [, end] = (await bough.messages(sessionID)).filter(({ role }) => role !== 'system')
    expect(adopted.forkPoint).toBe(end?.id)
    await turn(bough, adopted.id, 'on')
    expect(ground.received()).toEqual([...told('one', 'otherwise'), 'user: on'])
  })
})
