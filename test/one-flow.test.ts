import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../src/client/connect.ts'
import { findServer } from '../src/server/announcement.ts'
import type { TreeEvent } from '../src/tree/event.ts'
import { shortID } from '../src/tree/ids.ts'
import { wordsOf } from './support/discord/bot-ground.ts'
import { fakeWithOwner } from './support/discord/real-client.ts'
import { createWorld, launcher, type Running } from './support/run-bough.ts'
import { Tmux } from './support/tmux.ts'
import { until } from './support/until.ts'

it('a session goes through all front ends at once: each sees what the others do, nothing is lost, nothing comes twice', async () => {
  const world = createWorld()
  const { fake, owner, dm } = await fakeWithOwner()
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: world.project, env: world.env })
  git('init', '--quiet')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'begin')
  await world.ok('config', 'agent', 'offline')

  // All of them run on one store.
  const discord = { DISCORD_TOKEN: fake.token, DISCORD_OWNER_ID: owner.id, DISCORD_API_BASE: fake.api }
  const server = started(world.start(['serve', '--port', '0', '--grace', '0']))
  const bot = started(world.start(['discord'], { env: discord }))
  const terminal = Tmux.start(`"${process.execPath}" "${launcher}"`, { cwd: world.project, env: world.env })
  onTestFinished(() => terminal.close())
  await server.shows('Ctrl-C stops it')
  await bot.shows('bough answers in your direct messages')
  await terminal.shows('Esc looks back')
  const found = await findServer({ data: world.home, config: join(world.home, 'config.json') })
  const token = readFileSync(join(world.home, 'token'), 'utf8').trim()
  const bough = await connect({ url: found?.url ?? '', token })
  onTestFinished(() => bough.close())
  const events: TreeEvent[] = []
  const reading = new AbortController()
  onTestFinished(() => reading.abort())
  void (async () => {
    for await (const event of bough.events({ signal: reading.signal }))
      if (event.kind !== 'reset') events.push(event)
  })().catch(() => {})

  // It begins in the terminal UI.
  terminal.type('write soup.txt: tomato')
  await terminal.shows(/write soup\.txt.*Esc looks back/s)
  const soup = await until('the session', async () =>
    (await bough.sessions({})).find(({ title, messages }) => title.includes('soup.txt') && messages > 2),
  )
  await until('its turn to end', async () => (await bough.session(soup.id)).state === 'idle')

  // It is forked over HTTP, and the tree of the terminal UI, which is open, shows that.
  terminal.press('C-t')
  await terminal.shows('write soup.txt')
  const fork = await bough.fork(soup.id, { title: 'With basil', files: 'worktree' })
  await terminal.shows('With basil')

  // It is answered in Discord.
  const told = fake.userRuns(dm, owner, 'open', { session: shortID(fork.id) })
  await fake.untilCallback(told)
  await fake.until('word that it is open', () =>
    fake.botMessages(dm.id).find((message) => wordsOf(message).includes('With basil')),
  )
  fake.userSends(dm, owner, 'append soup.txt: and basil')
  const replies = () => fake.botMessages(dm.id).filter((message) => /done/.test(wordsOf(message)))
  await fake.until('the reply', () => replies().length > 0)
  await until('the turn to end', async () => (await bough.session(fork.id)).state === 'idle')
  expect(replies()).toHaveLength(1)

  // What was said there is in the preview of the terminal UI, once.
  terminal.press('Down')
  await terminal.shows(/and basil/)

  // They are compared on the command line.
  const diff = await world.ok('diff', shortID(soup.id), shortID(fork.id), '--files')
  expect(diff).toContain('append soup.txt: and basil')
  expect(diff).toMatch(/^\+.*and basil/m)

  // And in the terminal UI, where the fork is made main.
  terminal.press('c')
  await terminal.shows('make it main here')
  terminal.press('Right')
  await terminal.shows('▸ With basil')
  terminal.press('p')
  await terminal.shows('Make it the main of tab 1?')
  terminal.press('Enter')
  const place = await until('main to move', async () =>
    (await bough.channels()).find(({ frontEnd, mainID }) => frontEnd !== 'discord' && mainID === fork.id),
  )
  expect(place.openForkID).toBeNull()
  const screen = await terminal.shows(/append soup\.txt: and basil/)
  expect(screen.match(/▌ append soup\.txt: and basil/g)).toHaveLength(1)

  // Now both talk in the same session, one after the other, and each sees it once.
  terminal.type('and who is there?')
  await terminal.shows(/“and who is there\?”/)
  fake.userSends(dm, owner, 'the cook is')
  await fake.until('the reply', () =>
    fake.botMessages(dm.id).find((message) => wordsOf(message).includes('“the cook is”')),
  )
  await terminal.shows(/▌ the cook is/)
  const line = await Array.fromAsync(bough.line(fork.id))
  expect(line.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
    'write soup.txt: tomato',
    'append soup.txt: and basil',
    'and who is there?',
    'the cook is',
  ])
  const added = events.filter(({ kind, sessionID }) => kind === 'message.added' && sessionID === fork.id)
  const own = line.filter(({ sessionID }) => sessionID === fork.id)
  await until(
    'all events',
    () =>
      events.filter(({ kind, sessionID }) => kind === 'message.added' && sessionID === fork.id).length ===
      own.length,
  )
  expect(new Set(added.map(({ seq }) => seq)).size).toBe(added.length)
  expect(fake.unhandled).toEqual([])
})

function started(running: Running): Running {
  onTestFinished(async () => {
    running.child.kill()
    await running.ended
  })
  return running
}
