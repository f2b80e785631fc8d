import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { refused, short } from './support/refused.ts'
import { createWorld, type World } from './support/run-bough.ts'
import { until } from './support/until.ts'

let world: World
let main: string
beforeEach(async () => {
  world = createWorld()
  main = (await world.ok('new', '--title', 'Main')).trim()
  await world.ok('send', main, 'apples')
})

const asAgent = { BOUGH_AGENT: '1' }
const tool = (name: string, args: unknown): string => `tool ${name} ${JSON.stringify(args)}`
/** A conversation becomes a channel when a fork of it is first asked for, whether or not there can be one. */
const makeChannel = () => world.bough(['chat', main])
const typed = (...lines: string[]): { input: string } => ({ input: `${lines.join('\n')}\n` })

interface Fork {
  readonly sessionID: string
  readonly state: string
  readonly outcome: string | null
}
const runs = async (): Promise<readonly Fork[]> => JSON.parse(await world.ok('runs', '--all', '--json'))

/** Opens an interactive fork in a chat and leaves it open. */
async function openFork(...more: string[]): Promise<string> {
  const { code, stderr } = await world.bough(['chat', main], typed('/fork', ...more))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [fork] = await runs()
  expect(fork).toMatchObject({ kind: 'interactive', state: 'open' })
  return fork?.sessionID ?? ''
}

describe('bough exit', () => {
  it('saves a fork: it is the main conversation now', async () => {
    const fork = await openFork('pears')
    expect(await world.ok('exit', short(fork), '--save')).toMatch(/saved.*main conversation/)
    expect(await world.ok('tree', main)).toMatch(
      new RegExp(`└─ .*${short(fork)} · main, fork saved · offline`),
    )
  })

  it('lists the files that a fork changed, and puts them back where that is wanted, also later', async () => {
    const at = join(world.project, 'soup.txt')
    writeFileSync(at, 'water\n')
    const fork = await openFork('write soup.txt: leek')
    expect(await world.ok('exit', fork, '--discard')).toContain('It changed 1 file, which stays: soup.txt.')
    expect(await world.ok('exit', fork, '--files', 'put-back')).toContain('1 file put back as it found it.')
    expect(readFileSync(at, 'utf8')).toBe('water\n')
    const second = await openFork('write soup.txt: tomato')
    const ended = await world.json('exit', second, '--discard', '--files', 'put-back')
    expect(ended).toMatchObject({ files: { changes: [{ path: 'soup.txt' }] }, restored: { changes: [{}] } })
    expect(readFileSync(at, 'utf8')).toBe('water\n')
    const third = await openFork('write soup.txt: pea')
    writeFileSync(at, 'mine\n')
    const { code, stdout } = await world.bough(['exit', third, '--discard', '--files', 'put-back'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/discarded.*too: soup\.txt/) })
    expect(readFileSync(at, 'utf8')).toBe('mine\n')
    expect(await world.bough(['exit', third, '--files', 'away'])).toMatchObject({ code: 2 })
  })

  it('reports a fork in words of one’s own, from stdin too', async () => {
    const fork = await openFork('pears')
    const ended = await world.json('exit', fork, '--report', 'Pears are ripe')
    expect(ended).toMatchObject({ outcome: 'reported', words: expect.any(String), fork: { sessionID: fork } })
    expect(await world.json('updates')).toMatchObject([{ sessionID: fork, text: 'Pears are ripe' }])
    const second = await openFork()
    const piped = await world.bough(['exit', second, '--report', '-'], { input: 'Plums too\n' })
    expect(piped.code).toBe(0)
    expect(await world.json('updates')).toMatchObject([{ text: 'Pears are ripe' }, { text: 'Plums too' }])
  })

  it('reports what the agent sums up', async () => {
    const fork = await openFork('pears')
    expect(await world.json('exit', fork, '--summary')).toMatchObject({ outcome: 'reported' })
    expect(await world.json('updates')).toMatchObject([{ sessionID: fork, text: expect.stringMatching(/./) }])
  })

  it('discards a fork; a second exit is told that it is over', async () => {
    const fork = await openFork()
    expect(await world.ok('exit', fork, '--discard')).toContain('discarded')
    await refused(world, ['exit', fork, '--save'], 1, /over/)
    expect(await world.json('updates')).toEqual([])
  })

  it('refuses what is no fork that comes back, and what it does not understand', async () => {
    await refused(world, ['exit', main, '--save'], 2, /is not a fork and has no ending/)
    await refused(world, ['exit', 'zzzzzz', '--save'], 1, 'There is no session "zzzzzz"')
    await refused(world, ['exit', main], 2, 'Say how it ends, with one of --save')
    await refused(world, ['exit', main, '--save', '--discard'], 2, 'with one of')
    await refused(world, ['exit', main, '--report', ' '], 2, 'The text is empty')
    await refused(world, ['exit', main, '--report'], 2, '--report needs a value')
  })
})

describe('bough updates', () => {
  it('shows what forks reported, of one conversation or of all, until main is told', async () => {
    expect(await world.ok('updates')).toBe('No fork has reported anything that is not told yet.\n')
    const fork = await openFork()
    await world.ok('exit', fork, '--report', 'Pears are ripe')
    expect(await world.ok('updates', main)).toBe(`fork ${short(fork)} now\nPears are ripe\n`)
    const other = (await world.ok('new')).trim()
    expect(await world.json('updates', other)).toEqual([])
    await world.bough(['chat', main], typed('What is new?'))
    expect(await world.json('updates')).toEqual([])
  })

  it('forgets them with --clear', async () => {
    const fork = await openFork()
    await world.ok('exit', fork, '--report', 'Pears are ripe')
    expect(await world.ok('updates', '--clear')).toBe('Forgot 1 update.\n')
    expect(await world.json('updates', '--clear')).toEqual({ cleared: 0 })
    expect(await world.json('updates')).toEqual([])
  })
})

describe('bough run', () => {
  it('runs unattended, and waits for the end with --wait', async () => {
    const prompt = tool('report_updates', { message: 'All is well' })
    const ended = await world.bough(['run', main, prompt, '--background', '--wait'])
    expect(ended).toMatchObject({ code: 0 })
    const [id = '', words = ''] = ended.stdout.split('\n')
    expect(id).toMatch(/^ses_/)
    expect(words).toBe(`Background run: reported. "bough log ${short(id)}" shows what it did.`)
    expect(await world.json('updates')).toMatchObject([{ sessionID: id, text: 'All is well' }])
    expect(await world.ok('runs')).toMatch(
      new RegExp(`^${short(id)}  background run: reported +now +tool report`),
    )
    expect(await world.ok('tree')).toContain('background run: reported')
  })

  it('goes on when the command has ended', async () => {
    const run = await world.json('run', main, 'sleep 1', '--background')
    expect(run).toMatchObject({ kind: 'background', state: 'open', prompt: 'sleep 1' })
    const ended = await until('the run to end', async () =>
      (await runs()).find(({ state }) => state === 'ended'),
    )
    expect(ended).toMatchObject({ outcome: 'finished' })
    expect(await world.ok('runs')).toContain('background run: silent')
  })

  it('fails with exit code 1 when the run does', async () => {
    const failed = await world.bough(['run', main, 'fail out of paper', '--background', '--wait'])
    expect(failed.code).toBe(1)
    expect(failed.stdout).toMatch(/Background run: failed: .*out of paper/)
  })

  it('takes an agent, fewer tools and a time limit', async () => {
    const run = await world.json(
      ...[
        'run',
        main,
        'hello',
        '--background',
        '--agent',
        'offline',
        '--allow',
        'read, write',
        '--timeout',
        '5',
      ],
    )
    expect(run).toMatchObject({ allowedTools: ['read', 'write'], timeout: 300_000 })
  })

  it('is run for an agent that asked for it in bough send, too', async () => {
    await world.ok('send', main, tool('run_background', { prompt: 'sleep 0.2' }))
    await until('the run to end', async () => (await runs()).find(({ state }) => state === 'ended'))
    expect(await runs()).toMatchObject([{ origin: 'agent', outcome: 'finished' }])
  })

  it('says who wrote its prompt, where that was not the person: in the log, in exports and after an import', async () => {
    await world.ok('send', main, tool('run_background', { prompt: 'count herons' }))
    const byAgent = await until('the run to end', async () =>
      (await runs()).find(({ state }) => state === 'ended'),
    )
    const routine = (await world.ok('routine', 'add', main, '--cron', '0 8 1 1 *', 'count larks')).trim()
    const scheduled = (await world.ok('routine', 'run', routine)).trim()
    const log = (id: string) => world.ok('log', id)
    await until('the routine to run', async () => (await log(scheduled)).includes('count larks'))
    expect(await log(byAgent.sessionID)).toMatch(/^prompt by an agent \w{6} .*\ncount herons$/m)
    expect(await log(scheduled)).toMatch(/^scheduled prompt \w{6} .*\ncount larks$/m)
    expect(await log(main)).toMatch(/^you \w{6} .*\napples$/m)
    expect(await world.ok('export', byAgent.sessionID)).toContain('**Prompt by an agent** ·')
    const file = join(world.project, 'run.json')
    await world.ok('export', byAgent.sessionID, '--output', file)
    expect(await log((await world.ok('import', file)).trim())).toMatch(
      /^prompt by an agent .*\ncount herons$/m,
    )
  })

  it('is the same as fork --background', async () => {
    const id = (await world.ok('fork', main, '--prompt', 'hello', '--background')).trim()
    expect(await runs()).toMatchObject([{ sessionID: id, kind: 'background', prompt: 'hello' }])
  })

  it('refuses what it cannot run', async () => {
    await makeChannel()
    await refused(world, ['run', main, 'hello'], 2, 'Add --background')
    await refused(world, ['run', main, '--background', ' '], 2, 'The text is empty')
    await refused(world, ['run', main, 'two', 'words', '--background'], 2, 'Put the text in quotes')
    await refused(world, ['run', 'zzzzzz', 'hello', '--background'], 1, 'There is no session')
    await refused(world, ['run', main, 'hello', '--background', '--timeout', '0'], 2, '--timeout needs')
    await refused(world, ['run', main, 'hello', '--background', '--allow', 'a,,b'], 2, '--allow needs')
    await refused(world, ['run', main, 'hello', '--background', '--agent', 'nobody'], 1, 'nobody')
    await refused(world, ['fork', main, '--background'], 2, '--prompt TEXT')
    await refused(world, ['fork', `${main}@abcdef`, '--prompt', 'x', '--background'], 2, 'last finished turn')
    await refused(
      world,
      ['fork', main, '--prompt', 'x', '--background', '--title', 'T'],
      2,
      '--title is not for',
    )
  })
})

describe('bough routine and bough remind', () => {
  it('add, list and take back', async () => {
    expect(await world.ok('routine')).toContain('No routines and no reminders.')
    const cron = ['--cron', '0 8 * * 1-5', '--zone', 'Europe/Berlin']
    const added = await world.bough(['routine', 'add', main, ...cron, 'What is due?'])
    const routine = added.stdout.trim()
    expect(routine).toMatch(/^sch_/)
    expect(added.stderr).toMatch(
      /^bough: next: .* \(?08:00\)?\. It runs while the terminal UI, a chat, "bough daemon", "bough discord" or "bough serve" is open\.\n$/,
    )
    const reminder = (await world.ok('remind', main, '20m', 'The oven is hot')).trim()

    const text = await world.ok('routine', 'ls')
    expect(text.match(new RegExp(` · in “Main” ${short(main)}$`, 'gm'))).toHaveLength(2)
    expect(text).toMatch(
      new RegExp(
        `${short(routine)}  0 8 \\* \\* 1-5 Europe/Berlin · next: .* \\(?08:00\\)? · in .*\n +What is due\\?`,
      ),
    )
    expect(text).toMatch(
      new RegExp(`${short(reminder)}  once · next: in 20 min \\(.*\\) · in .*\n +The oven is hot`),
    )
    const listed = [await world.json('routine', 'ls')].flat()
    expect(listed).toMatchObject([{ mainID: main }, { mainID: main }])
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual(
      expect.objectContaining({
        id: routine,
        kind: 'routine',
        zone: 'Europe/Berlin',
        mode: 'background',
        runs: [],
      }),
    )

    expect(await world.ok('routine', 'rm', short(routine))).toBe(
      'The routine will not run again: What is due?\n',
    )
    expect(await world.json('routine', 'rm', reminder)).toMatchObject({ id: reminder, state: 'cancelled' })
    expect(await world.json('routine')).toEqual([])
  })

  it('run now, too', async () => {
    const id = (await world.ok('routine', 'add', main, '--cron', '0 8 * * *', 'hello')).trim()
    const run = (await world.ok('routine', 'run', id)).trim()
    expect(await runs()).toMatchObject([{ sessionID: run, scheduleID: id, prompt: 'hello' }])
    await until('the run to end', async () => (await runs()).every(({ state }) => state === 'ended'))
  })

  it('refuse times that never come', async () => {
    await makeChannel()
    await refused(world, ['routine', 'add', main, '--cron', '99 8 * * *', 'x'], 2, /cron/i)
    await refused(world, ['routine', 'add', main, '--cron', 'soon', 'x'], 2, /cron/i)
    await refused(
      world,
      ['routine', 'add', main, '--cron', '0 8 * * *', '--zone', 'Mars/Base', 'x'],
      2,
      /Mars\/Base/,
    )
    await refused(world, ['routine', 'add', main, 'x'], 2, 'Say when: --cron')
    await refused(world, ['routine', 'add', main], 2, '"routine add" needs <text or ->')
    await refused(
      world,
      ['routine', 'add', main, '--cron', '0 8 * * *', '--mode', 'maybe', 'x'],
      2,
      '--mode must be',
    )
    await refused(world, ['routine', 'rm'], 2, '"routine rm" needs <id>')
    await refused(world, ['routine', 'rm', 'zzzzzz'], 1, 'zzzzzz')
    await refused(world, ['routine', 'ls', 'more'], 2, 'does not know what to do with "more"')
    await refused(world, ['routine', 'dance'], 2, 'There are add, ls, rm and run.')
    await refused(world, ['remind', main, '2020-01-01 00:00', 'x'], 2, '"2020-01-01 00:00" is in the past')
    await refused(world, ['remind', main, 'whenever', 'x'], 2, '"whenever" is no time')
    await refused(world, ['remind', main, '20m'], 2, 'needs <text or ->')
    await refused(world, ['remind', main, 'in', '20', 'minutes', 'x'], 2, 'Put the time in quotes')
    expect(await world.json('routine')).toEqual([])
  })
})

describe('bough daemon', () => {
  it('says what happens, and ends with 0 when it is told to', async () => {
    const daemon = world.start(['daemon'])
    await daemon.shows(`bough keeps time for ${world.home}`)
    const run = (await world.ok('run', main, 'sleep 0.2', '--background')).trim()
    await daemon.shows(`${short(run)}  background run: silent`)
    daemon.child.kill('SIGTERM')
    expect(await daemon.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('ends by itself with --until-idle', async () => {
    expect(await world.bough(['daemon', '--until-idle'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('the shell of an agent', () => {
  it('may look, and change nothing', async () => {
    const fork = await openFork()
    for (const args of [
      ['exit', fork, '--save'],
      ['run', main, 'x', '--background'],
      ['fork', main, '--prompt', 'x', '--background'],
      ['routine', 'add', main, '--cron', '0 8 * * *', 'x'],
      ['routine', 'rm', 'abcdef'],
      ['routine', 'run', 'abcdef'],
      ['remind', main, '20m', 'x'],
      ['updates', '--clear'],
    ])
      await refused(world, args, 1, 'An agent may not use "bough', asAgent)
    const chat = await world.bough(['chat', main], { ...typed('/save'), env: asAgent })
    expect(chat).toMatchObject({ code: 1, stdout: '' })
    expect(chat.stderr).toContain('An agent may not use "bough chat"')
    for (const name of ['runs', 'updates', 'routine'])
      expect((await world.bough([name], { env: asAgent })).code).toBe(0)
    expect(await runs()).toHaveLength(1)
  })
})
