import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { short } from './support/refused.ts'
import { createWorld, launcher, type World } from './support/run-bough.ts'
import { Tmux } from './support/tmux.ts'
import { worlds } from './support/worlds.ts'

let world: World
let main: string
const beginIn = async (begun: World): Promise<void> => {
  world = begun
  main = (await world.ok('new', '--title', 'Main')).trim()
  await world.ok('send', main, 'apples')
}

const tool = (name: string, args: unknown): string => `tool ${name} ${JSON.stringify(args)}`
const chat = (...lines: string[]) => world.bough(['chat', main], { input: `${lines.join('\n')}\n` })

interface Fork {
  readonly sessionID: string
}
const runs = async (): Promise<readonly Fork[]> => JSON.parse(await world.ok('runs', '--all', '--json'))

describe.each(worlds)('a fork in a chat, $name', ({ open }) => {
  beforeEach(async () => beginIn(await open()))

  it('opens with /fork, and what is typed goes there until /exit', async () => {
    const { stdout, stderr } = await chat('/fork', 'pears', '/exit', 'plums')
    expect(stderr).toBe('')
    expect(stdout).toMatch(/── Forked session: open session {2}\(\/save \/report \/exit\) ──/)
    expect(stdout).toMatch(/“pears”.*── The fork was discarded.*──.*“plums”/s)
    const [fork] = await runs()
    expect(fork).toMatchObject({ kind: 'interactive', origin: 'person', outcome: 'discarded' })
    expect(await world.json('log', main)).toMatchObject([{ text: 'apples' }, {}, { text: 'plums' }, {}])
    expect([await world.json('log', fork?.sessionID ?? '')].flat()).toMatchObject([
      {},
      {},
      { text: 'pears' },
      {},
    ])
  })

  it('begins with its topic, where there is one', async () => {
    const { stdout } = await chat('/fork pears and plums')
    expect(stdout).toMatch(/── Forked session: pears and plums {2}\(.*\) ──/)
    expect(stdout).toMatch(/“pears and plums”/)
    expect(await runs()).toMatchObject([{ topic: 'pears and plums', state: 'open' }])
  })

  it('becomes main with /save', async () => {
    const { stdout } = await chat('/fork', 'pears', '/save', 'plums', '/tree')
    expect(stdout).toContain('── The fork was saved')
    const [fork] = await runs()
    expect(stdout).toMatch(new RegExp(`└─ ● .*${short(fork?.sessionID ?? '')} · main, fork saved · `))
    expect([await world.json('log', fork?.sessionID ?? '')].flat()).toHaveLength(6)
    expect(await world.json('log', main)).toHaveLength(2)
  })

  it('is told to main with /report', async () => {
    const { stdout } = await chat('/fork', 'pears', '/report', '/updates', '/runs', 'plums', '/updates')
    expect(stdout).toContain('── The fork was reported')
    const [fork] = await runs()
    const id = short(fork?.sessionID ?? '')
    expect(stdout).toMatch(new RegExp(`^fork ${id} now$`, 'm'))
    expect(stdout).toMatch(new RegExp(`^${id} {2}fork reported`, 'm'))
    expect(stdout).toContain('No fork has reported anything that is not told yet.')
  })

  it('is one at a time, and ends once', async () => {
    const { code, stderr } = await chat('/fork', '/fork again', '/exit', '/exit', '/save')
    expect(code).toBe(0)
    expect(stderr).toMatch(/already in a fork/)
    expect(stderr.match(/There is no fork open; \/fork opens one\./g)).toHaveLength(2)
    expect(await runs()).toHaveLength(1)
  })

  it('is opened and ended by the agent, too', async () => {
    const { stdout } = await chat(
      tool('enter_fork', { topic: 'pears' }),
      'plums',
      tool('exit_fork', {}),
      'figs',
    )
    expect(stdout).toMatch(/── Forked session: pears.*“plums”.*── The fork was discarded.*“figs”/s)
    expect(await runs()).toMatchObject([{ origin: 'agent', outcome: 'discarded' }])
  })

  it('is still open in the next chat, which says so', async () => {
    await chat('/fork pears')
    const { stdout } = await chat('more')
    expect(stdout).toMatch(/── Forked session: pears {2}\(\/save \/report \/exit\) ──.*“more”/s)
    const [fork] = await runs()
    expect([await world.json('log', fork?.sessionID ?? '')].flat()).toHaveLength(6)
  })

  it('stays behind when the chat goes elsewhere', async () => {
    const other = (await world.ok('new', '--title', 'Other')).trim()
    const { stdout } = await chat(
      '/fork pears',
      `/open ${short(other)}`,
      'figs',
      '/exit',
      `/open ${short(main)}`,
      'more',
    )
    expect(stdout.match(/── Forked session: pears/g)).toHaveLength(2)
    expect(await world.json('log', other)).toMatchObject([{ text: 'figs' }, {}])
    expect(await runs()).toMatchObject([{ state: 'open' }])
    expect(await world.json('log', main)).toHaveLength(2)
  })
})

it('A chat does not cut off a background run at its end, but waits for it', async () => {
  await beginIn(createWorld())
  const { code, stdout } = await chat('/run sleep 1')
  expect(code).toBe(0)
  expect(stdout).toContain('1 background run is still going in this chat.')
  expect(await runs()).toMatchObject([{ kind: 'background', outcome: 'finished' }])
})

describe('what /help, /reply and /click say of themselves', () => {
  beforeEach(() => beginIn(createWorld()))

  it('lists every command', async () => {
    const { stdout } = await chat('/help')
    for (const name of ['fork', 'save', 'report', 'exit', 'run', 'runs', 'updates', 'reply', 'click', 'quit'])
      expect(stdout).toMatch(new RegExp(`^  /${name}\\b`, 'm'))
  })

  it('refuse what is not there', async () => {
    const { stdout, stderr } = await chat(
      '/reply',
      '/reply zzzzzz hello',
      '/click',
      '/click 1',
      '/run',
      '/approve',
    )
    expect(stdout).toContain('/reply <id> <text>.')
    expect(stderr).toContain('There is no message "zzzzzz" among those that came here lately.')
    expect(stdout).toContain('/click <n>, or /click <id> <n>.')
    expect(stderr).toContain('No message with buttons came here lately.')
    expect(stdout).toContain('Say what should run: /run <text>.')
    expect(stdout).toContain('Name what to answer: /approve <id>.')
    expect(await world.json('log', main)).toHaveLength(2)
  })
})

describe('a chat in a terminal', () => {
  let terminal: Tmux
  beforeEach(async () => {
    await beginIn(createWorld())
    terminal = Tmux.start(`'${process.execPath}' '${launcher}' chat ${main}`, {
      cwd: world.project,
      env: world.env,
    })
  })
  afterEach(() => terminal.close())

  it('shows what a background run sends above the line that is typed, and goes on with the run on a reply', async () => {
    await terminal.shows(/Main \w{6}> $/m)
    terminal.type('/run sleep 1')
    await terminal.shows(/Background run \w{6} has begun/)
    await world.ok('run', main, tool('ping_user', { text: 'The soup is ready' }), '--background', '--wait')
    const pinged = await terminal.shows('The soup is ready')
    const id = /message (\w{6}) · \/reply/.exec(pinged)?.[1]
    terminal.type(`/reply ${id} Salt it`)
    await terminal.shows(/── Forked session: .*“Salt it”/s)
    expect((await runs())[0]).toMatchObject({ kind: 'interactive', origin: 'reply', state: 'open' })
  })

  it('keeps a line that is half typed', async () => {
    await terminal.shows(/Main \w{6}> $/m)
    terminal.press('half a li')
    await terminal.shows(/Main \w{6}> half a li$/m)
    await world.ok('run', main, tool('ping_user', { text: 'The soup is ready' }), '--background', '--wait')
    await terminal.shows(/The soup is ready\n(.*\n)?Main \w{6}> half a li$/m)
    terminal.type('ne')
    await terminal.shows('“half a line”')
  })

  it('clicks the button of a card, once', async () => {
    await terminal.shows(/Main \w{6}> $/m)
    const card = {
      title: 'Soup',
      body: 'It is hot.',
      buttons: [{ label: 'Salt it', prompt: 'salt the soup' }],
    }
    await world.ok('run', main, tool('send_embed', card), '--background', '--wait')
    await terminal.shows(/Soup\nIt is hot\.\n {2}\[1\] Salt it {2}\/click \w{6} 1/)
    terminal.type('/click 2')
    await terminal.shows('There is no button 2. There are: 1 Salt it.')
    terminal.type('/click 1')
    await terminal.shows(/── Forked session: .*salt the soup/s)
    expect((await runs())[0]).toMatchObject({ kind: 'interactive', origin: 'button', state: 'open' })
    terminal.type('/exit')
    await terminal.shows('── The fork was discarded')
    terminal.type('/click 1')
    await terminal.shows(/bough: .*(used|already)/)
  })

  it('goes on when a click for main has to wait for the end of the fork', async () => {
    await terminal.shows(/Main \w{6}> $/m)
    const card = { title: 'Soup', body: 'Hot.', buttons: [{ label: 'Salt it', prompt: 'salt the soup' }] }
    terminal.type(tool('send_embed', card))
    await terminal.shows(/\[1\] Salt it/)
    terminal.type('/fork pears')
    await terminal.shows(/“pears”.*> $/ms)
    terminal.type('/click 1')
    await terminal.shows(/That goes to the main conversation, when this fork has ended\.\npears \w{6}> $/m)
    terminal.type('/exit')
    await terminal.shows(/── The fork was discarded.*\[button\] salt the soup.*Main \w{6}> $/ms)
  })

  it('goes on with a fork that is over, on a reply to what was said in it', async () => {
    await terminal.shows(/Main \w{6}> $/m)
    terminal.type('/fork pears')
    const said = await terminal.shows(/“pears”.*· agent \w{6}\n.*> $/ms)
    const id = /“pears”.*· agent (\w{6})/s.exec(said)?.[1]
    terminal.type('/exit')
    await terminal.shows(/── The fork was discarded.*Main \w{6}> $/ms)
    terminal.type(`/reply ${id} plums`)
    await terminal.shows(/“plums”.*“pears”.*· agent \w{6}\n.*> $/ms)
    const [second, first] = await runs()
    expect(second).toMatchObject({ origin: 'reply', state: 'open' })
    expect(await world.json('ls')).toContainEqual(
      expect.objectContaining({ id: second?.sessionID, parentID: first?.sessionID }),
    )
  })

  it('asks for what a background run needs, and takes the answer', async () => {
    await terminal.shows(/Main \w{6}> $/m)
    terminal.type('/run run touch made.txt')
    const asked = await terminal.shows(/asks to run: touch made\.txt/)
    const id = /\/approve (\w{6})/.exec(asked)?.[1]
    terminal.type(`/approve ${id}`)
    await terminal.shows('Allowed: run: touch made.txt')
    terminal.type('/quit')
    await terminal.shows('ended with 0')
  })

  it('shows once what another process ran in main', async () => {
    await terminal.shows(/Main \w{6}> $/m)
    const { stdout } = await world.bough([
      'routine',
      'add',
      main,
      '--cron',
      '0 8 * * *',
      '--mode',
      'main',
      'plums',
    ])
    await world.ok('routine', 'run', stdout.trim())
    await terminal.shows(/scheduled prompt \w{6} · now\nplums\n.*“plums”.*Main \w{6}> $/ms)
    terminal.type('figs')
    const screen = await terminal.shows(/“figs”.*Main \w{6}> $/ms)
    expect(screen.match(/You just told me: “plums”/g)).toHaveLength(1)
  })

  it('says that a reply goes to the fork that is open', async () => {
    await terminal.shows(/Main \w{6}> $/m)
    await world.ok('run', main, tool('ping_user', { text: 'The soup is ready' }), '--background', '--wait')
    const pinged = await terminal.shows('The soup is ready')
    const id = /message (\w{6}) · \/reply/.exec(pinged)?.[1]
    terminal.type('/fork')
    await terminal.shows(/── Forked session: open session.*> $/ms)
    terminal.type(`/reply ${id} Salt it`)
    await terminal.shows(/You are in a fork: your reply goes there.*The soup is ready.*“Salt it”/s)
    expect(await runs()).toHaveLength(2)
  })

  it('shows the fork that another process ends', async () => {
    await terminal.shows(/Main \w{6}> $/m)
    terminal.type('/fork')
    await terminal.shows(/── Forked session: open session.*> $/ms)
    const [fork] = await runs()
    await world.ok('exit', fork?.sessionID ?? '', '--discard')
    await terminal.shows(/── The fork was discarded.*Main \w{6}> $/ms)
  })
})
