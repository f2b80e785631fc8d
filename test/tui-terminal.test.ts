import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Pty } from '../scripts/pty.ts'
import { findServer } from '../src/server/announcement.ts'
import { createWorld, launcher, type World } from './support/run-bough.ts'
import { Tmux, type TmuxOptions } from './support/tmux.ts'
import { until } from './support/until.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})

interface Start extends Partial<TmuxOptions> {
  readonly args?: string
}

/** The program in a terminal; its id is in the file `pid`, how the terminal was before and after in `before` and `after`. */
function open({ args = '', env = {}, ...options }: Start = {}): Tmux {
  const program = `sh -c 'echo $$ > pid; exec "${process.execPath}" "${launcher}" ${args}'`
  const command = `(stty -a > before; ${program}; code=$?; stty -a > after; exit $code)`
  const terminal = Tmux.start(command, { cwd: world.project, env: { ...world.env, ...env }, ...options })
  onTestFinished(() => terminal.close())
  return terminal
}

const inProject = (name: string): string => readFileSync(join(world.project, name), 'utf8')
const messages = async (id: string) => (await world.json('log', id)) as { text: string }[]

function expectGivenBack(terminal: Tmux): void {
  expect(terminal.isAlternate).toBe(false)
  expect(inProject('after')).toBe(inProject('before'))
}

describe('bough alone, in a terminal', () => {
  it('opens the demo where no agent is set up, says how to fork, and says at the end how to go on', async () => {
    const terminal = open()
    await terminal.shows('Esc looks back')
    const first = terminal.screen()
    expect(first).toContain('Plan the Friday dinner')
    expect(first).toContain('choose a message, and Enter forks there')
    terminal.type('And a cheese plate?')
    await terminal.shows('“And a cheese plate?”')
    await terminal.shows('Esc looks back')
    terminal.press('C-d')
    const last = await terminal.shows('ended with 0')
    expect(last).toMatch(/^To go on with "Plan the Friday dinner" \(\w{6}\): bough$/m)
    expectGivenBack(terminal)
    const again = open()
    await again.shows('“And a cheese plate?”')
    // Who has an agent is done with the demo.
    const withAgent = open({ env: { ANTHROPIC_API_KEY: 'none' } })
    expect(await withAgent.shows('Esc looks back')).toMatch(/^ 1 New session.* claude/s)
  })

  it('opens a session of this directory rather than the demo that was open here before, or a fork of it', async () => {
    const terminal = open()
    await terminal.shows('The demo.')
    terminal.press('Escape')
    await terminal.shows('╭─ agent')
    terminal.press('Enter')
    await terminal.shows('The fork has a worktree of its own')
    terminal.press('C-d')
    await terminal.shows('ended with 0')
    const again = open()
    await again.shows('The fork has a worktree of its own')
    again.press('C-d')
    await again.shows('ended with 0')
    await world.ok('new', '--agent', 'offline', '--title', 'One')
    const own = open()
    await own.shows('Esc looks back')
    expect(own.lines()[0]).toMatch(/^ 1 One/)
    expect(own.lines()[0]).not.toContain('dinner')
  })

  it('opens the latest session here; a restart brings tabs, forks, drafts and places back', async () => {
    await world.ok('new', '--agent', 'offline', '--title', 'Old')
    const id = (await world.ok('new', '--agent', 'offline', '--title', 'Soup')).trim()
    writeFileSync(join(world.home, 'keys.json'), '{"tab.nwe": "f3", "tab.new": ["f2", "alt+n"]}')
    const terminal = open({ rows: 20 })
    await terminal.shows('Esc looks back')
    expect(terminal.lines()[0]).toMatch(/^ 1 Soup/)
    expect(terminal.screen()).toContain('/keys.json: there is no action "tab.nwe"; /keys lists')
    terminal.type('words 300')
    await terminal.shows('words 300: done')
    terminal.press('PPage')
    await terminal.shows('more below')
    terminal.press('F2')
    await terminal.shows(/2 New session/)
    terminal.type('/fork herbs')
    await terminal.shows('“herbs”')
    await terminal.shows('Esc looks back')
    terminal.write('half said')
    await terminal.shows('half said')
    terminal.press('M-1')
    const before = await terminal.shows('more below')
    terminal.press('C-q')
    await terminal.shows('ended with 0')

    const again = open({ rows: 20 })
    await again.shows('more below')
    expect(again.screen().split('\n').slice(1, 12)).toEqual(before.split('\n').slice(1, 12))
    again.press('M-2')
    await again.shows(/└ herbs.*half said/s)
    again.press('C-c', 'Up', 'Up')
    await again.shows(/^\/fork herbs/m)
    expect(await messages(id)).toHaveLength(2)
  })

  it('goes to a server where one is named, without a demo', async () => {
    const server = world.start(['serve', '--port', '0', '--grace', '0'])
    await server.shows('Ctrl-C stops it')
    onTestFinished(() => void server.child.kill())
    const found = await findServer({ data: world.home, config: join(world.home, 'config.json') })
    const terminal = open({ args: `--server ${found?.url}` })
    await terminal.shows('Esc looks back')
    expect(terminal.lines()[0]).toMatch(/^ 1 New session/)
    terminal.type('over the wire')
    await terminal.shows('“over the wire”')
    await terminal.shows('Esc looks back')
    terminal.press('C-d')
    const last = await terminal.shows('ended with 0')
    expect(last).toMatch(
      new RegExp(`^To go on with "[^"]+" \\(\\w{6}\\): bough --server ${found?.url}$`, 'm'),
    )
  })

  it('says that its server is gone, and no longer when that is back, though nothing happens there', async () => {
    const serve = async (port: string) => {
      const server = world.start(['serve', '--port', port, '--grace', '0'])
      onTestFinished(() => void server.child.kill())
      await server.shows('Ctrl-C stops it')
      return server
    }
    const server = await serve('0')
    const found = await findServer({ data: world.home, config: join(world.home, 'config.json') })
    const terminal = open({ args: `--server ${found?.url}` })
    await terminal.shows('Esc looks back')
    server.child.kill('SIGKILL')
    await terminal.shows('no connection')
    await serve(new URL(found?.url ?? '').port)
    await until('the connection to be back', () => !terminal.screen().includes('no connection'))
    terminal.type('over the wire')
    await terminal.shows('“over the wire”')
  })

  it('opens also where the latest session is broken: tells that, and begins another', async () => {
    const id = (await world.ok('new', '--agent', 'offline', '--title', 'Soup')).trim()
    await world.ok('send', id, 'Say: tomato')
    const store = new DatabaseSync(join(world.home, 'bough.db'))
    store.prepare('UPDATE messages SET parts = ?').run('{')
    store.close()
    const terminal = open()
    const screen = await terminal.shows(/“Soup” \(\w{6}\) could not be opened: /)
    expect(screen).toMatch(/^ 1 New session/)
  })

  it('has a draft again after kill -9, and tells once that the turn was cut off', async () => {
    await world.ok('new', '--agent', 'offline', '--title', 'Soup')
    const terminal = open()
    await terminal.shows('Esc looks back')
    terminal.type('sleep 60')
    await terminal.shows('Esc interrupts')
    terminal.write('half a thought')
    const saved = join(world.home, 'tui')
    await until('the draft to be kept', () =>
      readdirSync(saved).some((name) => readFileSync(join(saved, name), 'utf8').includes('half a thought')),
    )
    process.kill(Number(inProject('pid')), 'SIGKILL')
    await terminal.shows('ended with 137')
    const again = open()
    const screen = await again.shows(/is gone.*half a thought.*Esc clears/s)
    expect(screen.match(/is gone/g)).toHaveLength(1)
  })
})

describe('the terminal', () => {
  it('has 5,000 pasted lines sent whole, wide characters right, and all of it at 40 columns and any other', async () => {
    const id = (await world.ok('new', '--agent', 'offline', '--title', '日本語のスープ')).trim()
    const terminal = open({ columns: 40, rows: 16 })
    await terminal.shows('Esc looks back')
    const lines = Array.from({ length: 5000 }, (_, i) => `line ${i} 日本語`)
    terminal.paste(lines.join('\n'))
    await terminal.shows('[paste #1 +5000 lines]')
    terminal.press('Enter')
    await terminal.shows(/You just\s+told me/)
    expect((await messages(id))[0]?.text).toBe(lines.join('\n'))
    terminal.write('日本語🙂x')
    await terminal.shows('日本語🙂x')
    terminal.press('BSpace', 'BSpace', 'Enter')
    await terminal.shows('“日本語”')
    terminal.type('words 300')
    for (const [columns, rows] of [
      [70, 30],
      [33, 9],
      [100, 24],
    ] as const) {
      terminal.resize(columns, rows)
      await terminal.shows('Esc')
    }
    await terminal.shows('words 300: done')
    await terminal.shows('Esc looks back')
    expect(terminal.lines()[0]).toMatch(/^ 1 日本語のスープ/)
    expect(terminal.lines().slice(0, 24).at(-1)).toContain('Esc looks back')
  })

  it('has a lone Esc, two and three of them right, in tmux as it is without settings', async () => {
    const id = (await world.ok('new', '--agent', 'offline', '--title', 'Soup')).trim()
    for (const word of ['tomato', 'leek']) await world.ok('send', id, `Say: ${word}`)
    const terminal = open()
    await terminal.shows('Esc looks back')
    const person = Tmux.attach(terminal, { cwd: world.project, env: world.env })
    onTestFinished(() => person.close())
    await person.shows('Esc looks back')
    person.press('Escape')
    await terminal.shows(/╭─ agent · 4 ─/)
    await pause(500)
    // So soon after each other, tmux gives them as one piece.
    person.press('Escape')
    await pause(150)
    person.press('Escape')
    await terminal.shows(/╭─ agent · 2 ─/)
    person.press('q')
    await terminal.shows('Esc looks back')
    person.press('Escape', 'Escape', 'Escape')
    await pause(700)
    expect(terminal.screen()).not.toContain('BACKTRACK')
    person.press('M-F')
    await terminal.shows(/Fork/)
  })

  it('has both, an Esc and an arrow soon after it, in tmux as it is without settings', async () => {
    const id = (await world.ok('new', '--agent', 'offline', '--title', 'Soup')).trim()
    for (const word of ['tomato', 'leek', 'pea']) await world.ok('send', id, `Say: ${word}`)
    const terminal = open()
    await terminal.shows('Esc looks back')
    const person = Tmux.attach(terminal, { cwd: world.project, env: world.env })
    onTestFinished(() => person.close())
    await person.shows('Esc looks back')
    for (const [key, at] of [
      ['Up', 'you · 5'],
      ['Up', 'you · 3'],
      ['End', 'agent · 6'],
      ['PPage', 'you · 1'],
      ['NPage', 'agent · 6'],
      ['Home', 'you · 1'],
      ['End', 'agent · 6'],
    ] as const) {
      person.press('Escape', key)
      await terminal.shows(new RegExp(`╭─ ${at} ─`))
      // An Esc on the first message would leave.
      if (at === 'you · 1') person.press('Down')
    }
  })

  it('gets no colour under NO_COLOR, also after it has said that its background is light', async () => {
    await world.ok('new', '--agent', 'offline', '--title', 'Soup')
    const command = [process.execPath, launcher]
    const env = { ...world.env, NO_COLOR: '1', COLORTERM: 'truecolor' }
    const pty = await Pty.start({ command, cwd: world.project, env, columns: 100, rows: 40 })
    onTestFinished(() => pty.stop())
    await pty.writes(['\u001b]11;?', 'Esc looks back'])
    const answered = pty.written.length
    pty.type('\u001b]11;rgb:ffff/ffff/ffff\u0007')
    pty.type('/fork ```diff\r')
    await pty.writes(['Exit Alt+X'], answered)
    pty.type('\u0014')
    await pty.writes(['Session tree'], answered)
    const styles = pty.written.split('\u001b[').flatMap((each) => /^[\d;]*(?=m)/.exec(each) ?? [])
    expect(styles.length).toBeGreaterThan(3)
    const isColour = (code: string) => /^(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])$/.test(code)
    expect(styles.filter((style) => style.split(';').some(isColour))).toEqual([])
  })

  it('is given back on every way out', async () => {
    await world.ok('new', '--agent', 'offline', '--title', 'Soup')
    // Whatever is broken inside: here somebody from outside breaks it.
    const breaking = (how: string) => ({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2',()=>{${how}})`)}`,
    })
    const ways = [
      { signal: 'SIGTERM', code: 143 },
      { signal: 'SIGHUP', code: 129 },
      { signal: 'SIGINT', code: 130 },
      { signal: 'SIGQUIT', code: 131 },
      {
        signal: 'SIGUSR2',
        code: 1,
        env: breaking('throw new Error("torn apart")'),
        says: 'bough: torn apart',
      },
      {
        signal: 'SIGUSR2',
        code: 1,
        env: breaking('Promise.reject(new Error("let down"))'),
        says: 'bough: let down',
      },
      { signal: 'SIGUSR2', code: 7, env: breaking('process.exit(7)') },
    ] as const
    const config = join(world.home, 'config.json')
    writeFileSync(config, '{')
    const broken = open()
    expect(await broken.shows('ended with 1')).toContain('is not valid JSON')
    expectGivenBack(broken)
    rmSync(config)
    for (const { signal, code, ...way } of ways) {
      const terminal = open('env' in way ? { env: way.env } : {})
      await terminal.shows('Esc looks back')
      expect(terminal.isAlternate).toBe(true)
      process.kill(Number(inProject('pid')), signal)
      const screen = await terminal.shows(`ended with ${code}`)
      if ('says' in way) expect(screen).toContain(way.says)
      expectGivenBack(terminal)
    }
  })

  it('is given back while the program is suspended, and taken again', async () => {
    await world.ok('new', '--agent', 'offline', '--title', 'Soup')
    const terminal = Tmux.start('bash --norc -i', { cwd: world.project, env: { ...world.env, PS1: '# ' } })
    onTestFinished(() => terminal.close())
    await terminal.shows('# ')
    terminal.type(`"${process.execPath}" "${launcher}"`)
    await terminal.shows('Esc looks back')
    terminal.write('a draft')
    await terminal.shows('a draft')
    terminal.press('C-z')
    await terminal.shows('Stopped')
    expect(terminal.isAlternate).toBe(false)
    terminal.type('echo in the shell')
    await terminal.shows(/^in the shell$/m)
    terminal.type('fg')
    await terminal.shows(/a draft.*Esc clears/s)
    terminal.write(' goes on')
    await terminal.shows('a draft goes on')
    expect(terminal.isAlternate).toBe(true)
  })
})
