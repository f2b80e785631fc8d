import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { refused, short } from './support/refused.ts'
import { createWorld, type World } from './support/run-bough.ts'
import { worlds } from './support/worlds.ts'

let world: World

const newSession = async (...options: string[]): Promise<string> => (await world.ok('new', ...options)).trim()

describe.each(worlds)('a tree of forks, $name', ({ open }) => {
  let root: string
  let messages: { id: string; role: string; text: string }[]
  const readLog = async (session: string): Promise<typeof messages> =>
    JSON.parse(await world.ok('log', session, '--json'))

  beforeEach(async () => {
    world = await open()
    root = await newSession('--title', 'Root')
    await world.ok('send', root, 'apples')
    await world.ok('send', root, 'pears')
    messages = await readLog(root)
  })

  it('grows with bough fork at any message, before or after it, by whole or shortened id', async () => {
    const [apples, answer, pears] = messages
    const after = (await world.ok('fork', `${root}@${answer?.id}`)).trim()
    const before = (await world.ok('fork', `${short(root)}@${short(pears?.id ?? '')}`, '--before')).trim()
    const first = (await world.ok('fork', `${root}@${apples?.id}`, '--before')).trim()
    expect(await readLog(after)).toEqual(messages.slice(0, 2))
    expect(await readLog(before)).toEqual(messages.slice(0, 2))
    expect(await readLog(first)).toEqual([])
    expect(await readLog((await world.ok('fork', root)).trim())).toEqual(messages)
  })

  it('prints the fork as JSON, with a title, an agent and a model of its own', async () => {
    const fork = await world.json('fork', root, '--title', 'T', '--agent', 'offline', '--model', 'm')
    expect(fork).toMatchObject({ parentID: root, title: 'T', agent: 'offline', model: 'm', kind: 'branch' })
  })

  it('sends the prompt of a fork at once, and streams the reply after its id', async () => {
    const at = `${root}@${messages[1]?.id}`
    const lines = (await world.ok('fork', at, '--prompt', 'plums')).split('\n')
    expect(lines[0]).toMatch(/^ses_/)
    expect(lines.slice(1).join('\n')).toMatch(/“plums”.*“apples”/s)
    expect(lines.join('\n')).not.toContain('pears')
    expect(await world.json('fork', at, '--prompt', 'cherries')).toMatchObject({
      session: { parentID: root, title: 'cherries', messages: 2 },
      messages: [{ text: 'cherries' }, { role: 'assistant' }],
    })
  })

  it('refuses what is no fork point, and changes nothing', async () => {
    const other = await newSession()
    await refused(world, ['fork', `${other}@${messages[0]?.id}`], 1, /not on that session's line/)
    await refused(world, ['fork', `${root}@zzzzzz`], 1, 'There is no message "zzzzzz"')
    await refused(world, ['fork', `${root}@`], 2, '<session>@<message>')
    await refused(world, ['fork', `${root}@not-an-id`], 2, 'is not an id')
    await refused(world, ['fork', 'zzzzzz'], 1, 'There is no session "zzzzzz"')
    await refused(world, ['fork', root, '--before'], 2, 'Before which message?')
    await refused(world, ['fork', root, '--prompt', ' '], 2, 'empty')
    await refused(world, ['fork', root.slice(4, 7)], 1, 'fits more than one session')
  })

  it('is where another agent goes on, which bough send says', async () => {
    await refused(
      world,
      ['send', root, 'x', '--agent', 'codex'],
      2,
      `bough fork ${short(root)} --agent codex`,
    )
  })

  it('says when a fork point moved to the end of its tool calls', async () => {
    await world.ok('send', root, 'write a.txt: a')
    const call = (await readLog(root)).at(-3)
    const ended = await world.bough(['fork', `${root}@${call?.id}`])
    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain('a tool call and its results stay together')
  })

  it('is drawn with bough tree', async () => {
    const fork = (await world.ok('fork', root, '--title', 'Branch')).trim()
    await world.ok('fork', fork, '--title', 'Leaf')
    await newSession('--title', 'Other root')
    const lines = (await world.ok('tree')).split('\n').map((line) => line.replace(/ {2}.*/, ''))
    expect(lines).toEqual(['Root', '├─ Branch'.replace('├', '└'), '', 'Other root', ''])
    expect(await world.ok('tree')).toContain('   └─ Leaf')
    expect(await world.ok('tree', fork)).not.toContain('Other root')
    expect(await world.json('tree', fork)).toMatchObject([{ depth: 0 }, { depth: 1, id: fork }, { depth: 2 }])
  })

  it('is read with bough log, up to a message and no more than wanted', async () => {
    expect(messages).toMatchObject([
      { role: 'user', text: 'apples', parts: [{ type: 'text', text: 'apples' }] },
      { role: 'assistant' },
      { role: 'user', text: 'pears' },
      { role: 'assistant' },
    ])
    const up = `${root}@${messages[2]?.id}`
    expect(await world.json('log', up)).toEqual(messages.slice(0, 3))
    expect(await world.json('log', up, '--limit', '2')).toEqual(messages.slice(1, 3))
    expect(await world.json('log', root, '--limit', '1')).toEqual(messages.slice(3))
    const text = await world.ok('log', root)
    expect(text).toMatch(new RegExp(`^you ${short(messages[0]?.id ?? '')} · now\napples\n\nagent `))
    expect(await world.ok('log', await newSession())).toBe('No messages yet.\n')
  })

  it('shows where the line of a fork leaves that of its parent', async () => {
    const fork = (await world.ok('fork', `${root}@${messages[1]?.id}`)).trim()
    await world.ok('send', fork, 'plums')
    expect(await world.ok('log', fork)).toMatch(
      /apples.*── the fork begins here ──\n\nyou \w{6} · now\nplums/s,
    )
  })

  it('is compared with bough diff', async () => {
    const fork = (await world.ok('fork', `${root}@${messages[1]?.id}`, '--prompt', 'plums')).slice(0, 30)
    expect(await world.json('diff', root, fork)).toMatchObject({
      common: messages[1],
      a: { session: { id: root }, tail: messages.slice(2) },
      b: { session: { id: fork }, tail: [{ text: 'plums' }, { role: 'assistant' }] },
    })
    const text = await world.ok('diff', root, fork)
    expect(text).toMatch(
      /The last message that both have.*── Root.*2 messages after that.*pears.*── plums.*plums/s,
    )
    expect(await world.ok('diff', root, await newSession())).toContain('They have no message in common.')
    await refused(world, ['diff', root], 2, '"diff" needs <session>')
  })

  it('loses sessions with bough rm, keeping a tombstone where others stand on them', async () => {
    const fork = (await world.ok('fork', root)).trim()
    await refused(world, ['rm', root, 'zzzzzz'], 1, 'zzzzzz')
    for (const typed of [root.slice(-1), `ses_${root.slice(-1)}`, root.slice(-3)])
      await refused(world, ['rm', typed], 2, `"${typed}" is too short: type at least 4 characters`)
    await refused(world, ['undo', 'snp_x'], 2, '"snp_x" is too short')
    await refused(world, ['rm', root], 2, 'There is no terminal to ask at, so nothing was changed. Add --yes')
    expect(await world.ok('rm', '--yes', root)).toContain(`Deleted "Root" ${short(root)}. A tombstone stays`)
    expect(await world.ok('tree')).toMatch(/^\(deleted\) {2}\w{6} · deleted\n└─ /)
    expect(await readLog(fork)).toEqual(messages)
    const other = await newSession()
    expect((await world.ok('rm', '--yes', fork, other, fork)).split('\n')).toHaveLength(3)
    expect(await world.json('tree')).toEqual([])
  })
})

it('A fork for an agent that is not installed is refused before it announces anything', async () => {
  world = createWorld()
  const id = await newSession()
  await world.ok('send', id, 'apples')
  await world.ok('config', 'codex.executable', '/nowhere/codex')
  await refused(world, ['fork', id, '--agent', 'codex'], 1, 'There is no program /nowhere/codex')
})

it('An agent that says itself that nobody is signed in is refused before the fork is made, and warned of with new', async () => {
  world = createWorld()
  const id = await newSession()
  await world.ok('send', id, 'apples')
  const program = join(world.project, 'codex')
  const script = (says: string) =>
    `#!/bin/sh\n[ "$1" = --version ] && exec echo codex-cli 9.9.9\necho "${says}" >&2; exit 1\n`
  writeFileSync(program, script('Not logged in'), { mode: 0o755 })
  await world.ok('config', 'codex.executable', program)
  const env = { HOME: world.home, CODEX_HOME: '', OPENAI_API_KEY: '', CODEX_API_KEY: '' }
  const refusal = `codex: codex-cli 9.9.9, ${program}; not signed in. Do this: codex login\n`
  for (const more of [[], ['--background', '--prompt', 'pears']]) {
    const { code, stderr } = await world.bough(['fork', id, '--agent', 'codex', ...more], { env })
    expect([code, stderr]).toEqual([1, `bough: ${refusal}`])
  }
  expect(await world.json('ls', '--all')).toHaveLength(1)

  const made = await world.bough(['new', '--agent', 'codex'], { env })
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^ses_\w+\n$/)])
  expect(made.stderr).toContain('not signed in. Before it can answer, do this: codex login\n')

  // One that says nothing of the kind may know a way in: it is tried.
  writeFileSync(program, script('What?'))
  const tried = await world.bough(['fork', id, '--agent', 'codex'], { env })
  expect(tried.stderr).toContain('not signed in. If no answer comes, do this: codex login\n')
  expect(tried.stdout).toMatch(/^ses_/)
})
