import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Message } from '../src/tree/message.ts'
import type { Session } from '../src/tree/session.ts'
import type { SessionDocument } from '../src/tree/session-document.ts'
import { refused, short } from './support/refused.ts'
import { createWorld, type World } from './support/run-bough.ts'
import { worlds } from './support/worlds.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})

const path = (name: string): string => join(world.project, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')
const messagesOf = async (where: World, id: string) => (await where.json('log', id)) as readonly Message[]
const kept = ({ role, parts, status, usage, created }: Message) => ({ role, parts, status, usage, created })

/** A session with a tool call, and a fork of it in which more was said. */
async function talk(): Promise<{ readonly root: string; readonly fork: string }> {
  const root = (await world.ok('new', '--title', 'Soup', '--agent', 'offline', '--model', 'ladle')).trim()
  await world.ok('send', root, 'write menu.md: Soup with ``` in it 🍲')
  const fork = (await world.ok('fork', root, '--files', 'same', '--title', 'Vegan')).trim()
  await world.ok('send', fork, '# No meat\n\n\x1b[31mplease')
  await world.ok('send', root, 'only the parent hears this')
  return { root, fork }
}

describe.each(worlds)('bough export, $name', ({ open }) => {
  beforeEach(async () => {
    world = await open()
  })

  it('writes the whole line of a fork as Markdown', async () => {
    const { root, fork } = await talk()
    const text = await world.ok('export', short(fork))
    expect(text).toMatch(/^# Vegan\n\n- Agent: offline, model ladle\n- Directory: `/)
    expect(text).toContain(`- Session: \`${fork}\`\n- Fork of: \`${root}\`\n\n---\n\n**User** · `)
    expect(text).toContain('Calls `write`:\n\n````json\n{\n  "file": "menu.md"')
    expect(text).toContain('Result of `write`, exit code 0:\n\n```\n')
    expect(text).toContain('\n\n# No meat\n\nplease\n\n---\n\n**Agent** · ')
    expect(text).not.toContain('\x1b')
    expect(text).not.toContain('only the parent hears this')
    expect(text.match(/^---$/gm)).toHaveLength((await messagesOf(world, fork)).length)
  })

  it('writes it as JSON, without what means nothing elsewhere', async () => {
    const { fork } = await talk()
    const document = (await world.json('export', fork)) as SessionDocument
    expect(document).toMatchObject({
      format: 'bough.session',
      version: 1,
      session: {
        id: fork,
        title: 'Vegan',
        agent: 'offline',
        model: 'ladle',
        directory: world.project,
        labels: [],
      },
    })
    const messages = await messagesOf(world, fork)
    expect(document.messages).toEqual(messages.map((message) => ({ id: message.id, ...kept(message) })))
    expect(Object.keys(document.messages[0] ?? {}).sort()).toEqual([
      'created',
      'id',
      'parts',
      'role',
      'status',
      'usage',
    ])
    expect(await world.ok('export', fork, '--format', 'json')).toContain('"bough.session"')
  })

  it('goes up to a message when one is named', async () => {
    const { fork } = await talk()
    const [first] = await messagesOf(world, fork)
    const document = (await world.json('export', `${fork}@${first?.id}`)) as SessionDocument
    expect(document.messages.map(({ id }) => id)).toEqual([first?.id])
  })

  it('writes a session in which nothing was said', async () => {
    const id = (await world.ok('new')).trim()
    expect(await world.ok('export', id)).toMatch(/^# New session\n\n- Agent: /)
    expect(await world.json('export', id)).toMatchObject({ messages: [] })
  })

  it('writes to a file, in the format of its name, and replaces it only when the new one is whole', async () => {
    const { fork } = await talk()
    writeFileSync(path('real.json'), 'old', { mode: 0o640 })
    symlinkSync('real.json', path('link.json'))
    const ended = await world.bough(['export', fork, '--output', 'link.json'])
    expect(ended).toEqual({ code: 0, stdout: '', stderr: 'bough: wrote 6 messages to link.json\n' })
    expect(JSON.parse(read('real.json'))).toMatchObject({ format: 'bough.session' })
    expect(statSync(path('real.json')).mode & 0o777).toBe(0o640)
    await world.ok('export', fork, '-o', 'soup.md')
    expect(read('soup.md')).toBe(await world.ok('export', fork))
    await world.ok('export', fork, '-o', 'as-markdown.json', '--format', 'md')
    expect(read('as-markdown.json')).toMatch(/^# Vegan/)
    await world.ok('export', fork, '-o', '/dev/null')
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
    expect(await world.ok('export', fork, '-o', '-')).toMatch(/^# Vegan/)
    expect(readdirSync(world.project).sort()).toEqual([
      'as-markdown.json',
      'link.json',
      'menu.md',
      'real.json',
      'soup.md',
    ])
  })

  it('says what is wrong with what it was asked for', async () => {
    const { fork } = await talk()
    mkdirSync(path('folder'))
    await refused(world, ['export', fork, '--format', 'pdf'], 2, '--format must be md or json, not "pdf"')
    await refused(world, ['export', fork, '--format', 'md', '--json'], 2, 'two different things')
    await refused(
      world,
      ['export', fork, '-o', 'folder'],
      1,
      /folder cannot be written \(it is a directory\)/,
    )
    await refused(
      world,
      ['export', fork, '-o', 'no/such/file.md'],
      1,
      /no\/such\/file\.md cannot be written .*Name another/,
    )
    await refused(world, ['export', 'zzzzzz'], 1, 'There is no session "zzzzzz"')
  })

  it('ends quietly when nobody reads on', async () => {
    const id = (await world.ok('new', '--agent', 'offline')).trim()
    await world.bough(['send', id, '-'], { input: 'a long text '.repeat(100_000) })
    for (const format of ['md', 'json']) {
      const running = world.start(['export', id, '--format', format])
      running.child.stdout?.destroy()
      expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
    }
  })
})

describe.each(worlds)('bough import, $name', ({ open }) => {
  beforeEach(async () => {
    world = await open()
  })

  const exported = async (): Promise<string> => {
    const { fork } = await talk()
    await world.ok('export', fork, '--output', 'soup.json')
    return fork
  }

  it('makes the same session on another machine, which can go on with it', async () => {
    const fork = await exported()
    const other = createWorld()
    const ended = await other.bough(['import', path('soup.json')])
    expect(ended.stdout).toMatch(/^ses_[0-9a-z]{26}\n$/)
    const id = ended.stdout.trim()
    expect(ended.stderr).toBe(`bough: "Vegan", 6 messages. "bough chat ${short(id)}" goes on with it.\n`)
    expect((await messagesOf(other, id)).map(kept)).toEqual((await messagesOf(world, fork)).map(kept))
    expect(await other.json('tree')).toMatchObject([
      {
        id,
        title: 'Vegan',
        agent: 'offline',
        model: 'ladle',
        kind: 'root',
        parentID: null,
        directory: other.project,
      },
    ])
    expect(await other.ok('send', id, 'What did I tell you?')).toContain('No meat')
  })

  it('takes it from a pipe, too, and makes a new session every time', async () => {
    const fork = await exported()
    const document = await world.ok('export', fork, '--json')
    const made: Session[] = []
    for (const file of ['-', 'soup.json']) {
      const ended = await world.bough(['import', file, '--json'], { input: document })
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      made.push(...JSON.parse(ended.stdout))
    }
    expect(new Set([fork, ...made.map(({ id }) => id)]).size).toBe(3)
    const [first, second] = await Promise.all(made.map(({ id }) => messagesOf(world, id)))
    expect(first?.map(kept)).toEqual(second?.map(kept))
  })

  it('counts what messages cost once: with the original where that is here, too', async () => {
    const { fork } = await talk()
    const file = join(world.project, 'talk.json')
    await world.ok('export', fork, '--output', file)
    const spent = async (where: World, id: string) => {
      const sessions = (await where.json('ls')) as readonly Session[]
      return sessions.find((session) => session.id === id)?.cost.own.outputTokens ?? 0
    }
    const sum = (messages: readonly Message[]) =>
      messages.reduce((total, { usage }) => total + (usage?.outputTokens ?? 0), 0)
    const here = (await world.ok('import', file)).trim()
    expect(await spent(world, here)).toBe(0)
    expect(sum(await messagesOf(world, here))).toBeGreaterThan(0)
    const before = await spent(world, here)
    await world.ok('send', here, 'and more')
    expect(await spent(world, here)).toBeGreaterThan(before)
    const other = createWorld()
    const there = (await other.ok('import', file)).trim()
    expect(await spent(other, there)).toBe(sum(await messagesOf(other, there)))
  })

  it('takes another agent and another directory', async () => {
    await exported()
    writeFileSync(path('gpt.json'), read('soup.json').replace('"agent": "offline"', '"agent": "gpt"'))
    await refused(world, ['import', 'gpt.json'], 1, /one with "gpt".*Name another with --agent: .*offline/)
    mkdirSync(path('sub'))
    expect(await world.json('import', 'gpt.json', '--agent', 'offline', '--dir', 'sub')).toMatchObject([
      { agent: 'offline', model: null, directory: path('sub') },
    ])
    await refused(world, ['import', 'soup.json', '--agent', 'nobody'], 1, 'There is no agent "nobody"')
    await refused(world, ['import', 'soup.json', '--dir', 'nowhere'], 1, 'nowhere')
  })

  it('answers a call whose result was not exported', async () => {
    const fork = await exported()
    const call = (await messagesOf(world, fork)).find(({ parts }) => parts[0]?.type === 'tool-call')
    await world.ok('export', `${fork}@${call?.id}`, '-o', 'cut.json')
    const id = (await world.ok('import', 'cut.json')).trim()
    expect((await messagesOf(world, id)).at(-1)).toMatchObject({
      role: 'tool',
      parts: [{ type: 'tool-result', output: 'No result of this call is known.' }],
    })
  })

  it('refuses what is no whole document, with one line that says why, and makes nothing', async () => {
    await exported()
    const text = read('soup.json')
    const files: readonly (readonly [string, string, RegExp])[] = [
      ['notes.md', '# Notes', /notes\.md is not JSON .*Import one that "bough export/],
      ['empty.json', '', /empty\.json is empty/],
      ['half.json', text.slice(0, text.length / 2), /half\.json is cut off or damaged/],
      ['other.json', '{"name":"else"}', /other\.json is JSON, but no session that bough exported/],
      [
        'newer.json',
        text.replace('"version": 1', '"version": 7'),
        /newer bough .*version 7.*Update this one/,
      ],
      [
        'role.json',
        text.replace('"role":"user"', '"role":"wizard"'),
        /Message 1 of role\.json has no "role"/,
      ],
      [
        'result.json',
        text.replace(/\n.*"tool-call".*/, ''),
        /Message 2 of the document \(tool\) has a result/,
      ],
    ]
    for (const [name, content, complaint] of files) {
      writeFileSync(path(name), content)
      await refused(world, ['import', name], 1, complaint)
    }
    await refused(world, ['import', '.'], 1, /\. is a directory\. Name a file in it/)
    await refused(world, ['import', 'nothing.json'], 1, /There is no file nothing\.json/)
  })
})
