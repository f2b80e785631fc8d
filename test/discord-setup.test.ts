import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { GatewayCloseCodes } from 'discord.js'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { findServer } from '../src/server/announcement.ts'
import { commandGone, commandRuns, endCommands, runFor, runUntilTold, tellToEnd } from './support/commands.ts'
import { wordsOf } from './support/discord/bot-ground.ts'
import type { Dm } from './support/discord/conversations.ts'
import type { FakeDiscord } from './support/discord/fake-discord.ts'
import { fakeWithOwner } from './support/discord/real-client.ts'
import { portOf } from './support/port-of.ts'
import { complaintsIn, refused } from './support/refused.ts'
import { createWorld, type Running, type World } from './support/run-bough.ts'

// The real program, with the real discord.js, against the fake.

let world: World
let fake: FakeDiscord
let owner: ReturnType<FakeDiscord['createUser']>
let dm: Dm
/** What somebody sets who has set up a bot. */
let env: Readonly<Record<'DISCORD_TOKEN' | 'DISCORD_OWNER_ID' | 'DISCORD_API_BASE', string>>

beforeEach(async () => {
  world = createWorld()
  mkdirSync(world.home, { recursive: true })
  writeFileSync(join(world.home, 'config.json'), JSON.stringify({ permissions: { allow: ['run'] } }))
  const made = await fakeWithOwner()
  fake = made.fake
  owner = made.owner
  dm = made.dm
  env = { DISCORD_TOKEN: fake.token, DISCORD_OWNER_ID: owner.id, DISCORD_API_BASE: fake.api }
})

/** `bough discord`, as soon as it answers; it is gone when the test is over. */
async function startBot(args: readonly string[] = [], from: World = world): Promise<Running> {
  const bot = from.start(['discord', ...args], { env })
  onTestFinished(async () => {
    bot.child.kill('SIGKILL')
    await bot.ended
    expect(fake.unhandled).toEqual([])
  })
  await bot.shows('bough answers in your direct messages on Discord. Ctrl-C ends it.')
  return bot
}

async function asks(text: string, answer: string): Promise<string> {
  fake.userSends(dm, owner, text)
  return fake.until(`“${answer}”`, () =>
    fake
      .botMessages(dm.id)
      .map(wordsOf)
      .find((words) => words.includes(answer) && !words.includes('writing …')),
  )
}

/** What is set where the agent's commands run. */
async function agentsEnvironment(): Promise<string> {
  await asks('run env > env.txt', 'env.txt')
  const printed = readFileSync(join(world.project, 'env.txt'), 'utf8')
  expect(printed).toContain('BOUGH_AGENT=')
  expect(printed).not.toContain(fake.token)
  return printed
}

describe('bough discord, not set up', () => {
  it.each<[string, NodeJS.ProcessEnv, string | RegExp]>([
    ['no token', { DISCORD_TOKEN: '' }, /no token.*DISCORD_TOKEN.*bough config discord\.token/],
    ['no owner', { DISCORD_OWNER_ID: '' }, /Nobody is set as the owner.*DISCORD_OWNER_ID/],
    ['an owner by name', { DISCORD_OWNER_ID: 'heron' }, '"heron" is no id at Discord'],
    [
      'an owner that nobody is',
      { DISCORD_OWNER_ID: '12345678901234567' },
      'Discord knows nobody with the id',
    ],
    ['a wrong token', { DISCORD_TOKEN: 'MTIz.abc.def' }, /does not know this token.*developer portal/],
    ['a token that is none', { DISCORD_TOKEN: 'a b\u0007' }, /does not know this token.*developer portal/],
    ['nobody there', { DISCORD_API_BASE: 'http://127.0.0.1:1/api' }, 'Discord cannot be reached.'],
    ['an address that is none', { DISCORD_API_BASE: 'heron' }, /"heron", which is no web address/],
    ['an agent', { BOUGH_AGENT: '1' }, 'An agent may not use "bough discord"'],
  ])('%s', async (_, wrong, complaint) => {
    await refused(world, ['discord'], 1, complaint, { ...env, ...wrong })
    expect(fake.botMessages(dm.id)).toEqual([])
  })

  it('takes no --session that is not there', async () => {
    await refused(world, ['discord', '--session', 'zzzzzz'], 1, 'There is no session "zzzzzz"', env)
  })
})

describe('bough discord --invite', () => {
  it('prints the link by which the bot is added', async () => {
    const { code, stdout } = await world.bough(['discord', '--invite'], { env })
    expect(code).toBe(0)
    const link = new URL(stdout.trim())
    expect(`${link.origin}${link.pathname}`).toBe('https://discord.com/oauth2/authorize')
    expect(Object.fromEntries(link.searchParams)).toEqual({
      client_id: fake.bot.id,
      scope: 'bot applications.commands',
      permissions: '0',
    })
  })

  it('says that the token is wrong', async () => {
    const wrong = { ...env, DISCORD_TOKEN: 'wrong' }
    await refused(world, ['discord', '--invite'], 1, 'does not know this token', wrong)
  })
})

describe('bough doctor', () => {
  it('says how to make a bot, and that nobody needs one', async () => {
    const ended = await world.bough(['doctor'])
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.stdout).toMatch(/– discord: no bot is set up\n {2}.*make a bot/)
  })

  it('names the bot and its owner', async () => {
    const ended = await world.bough(['doctor'], { env })
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.stdout).toContain('✓ discord: the bot fakebot answers owner\n')
  })

  it('takes a token and an owner that end with a new line', async () => {
    const copied = { ...env, DISCORD_TOKEN: `${fake.token}\n`, DISCORD_OWNER_ID: `${owner.id}\n` }
    const { stdout } = await world.bough(['doctor'], { env: copied })
    expect(stdout).toContain('✓ discord: the bot fakebot answers owner\n')
  })

  it.each<[string, NodeJS.ProcessEnv, string]>([
    ['a wrong token', { DISCORD_TOKEN: 'wrong' }, 'Discord does not know this token.'],
    ['a token that was not put in', { DISCORD_TOKEN: '…' }, 'Discord does not know this token.'],
    ['no owner', { DISCORD_OWNER_ID: '' }, 'Nobody is set as the owner'],
    ['no token', { DISCORD_TOKEN: '' }, 'There is no token'],
    ['an unknown owner', { DISCORD_OWNER_ID: '12345678901234567' }, 'Discord knows nobody with the id 1234'],
    ['nobody there', { DISCORD_API_BASE: 'http://127.0.0.1:1/api' }, 'Discord cannot be reached.'],
  ])('finds %s', async (_, wrong, complaint) => {
    const ended = await world.bough(['doctor'], { env: { ...env, ...wrong } })
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain(`✗ discord: ${complaint}`)
    expect(ended.stdout + ended.stderr).not.toContain(fake.token)
  })
})

describe('something that is not Discord, where DISCORD_API_BASE says', () => {
  it.each<[string, number, string]>([
    ['has no such page', 404, '<h1>Not Found</h1>'],
    ['answers with a page', 200, '<h1>Welcome</h1>'],
    ['answers with something else', 200, '{"ok":true}'],
  ])('%s: that is said, and not that the owner is unknown', async (_, status, body) => {
    const server = createServer((_, response) => void response.writeHead(status).end(body))
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const elsewhere = { ...env, DISCORD_API_BASE: `http://127.0.0.1:${portOf(server)}/api` }
    const { code, stdout } = await world.bough(['doctor'], { env: elsewhere })
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ discord: What answers there is not Discord\. Look at DISCORD_API_BASE/)
    await refused(world, ['discord', '--invite'], 1, 'What answers there is not Discord.', elsewhere)
    await refused(world, ['discord'], 1, 'Discord does not let the bot in', elsewhere)
  })
})

describe('bough config discord.token', () => {
  it('is kept where only you can read it, is used, and is never shown', async () => {
    await world.ok('config', 'discord.token', fake.token)
    await world.ok('config', 'discord.owner', owner.id)
    const file = join(world.home, 'config.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toContain(fake.token)

    expect(await world.ok('config', 'discord.token')).toBe('(set)\n')
    expect(await world.json('config', 'discord.token')).toBe('(set)')
    expect(await world.json('config')).toMatchObject({ discord: { token: '(set)', owner: owner.id } })
    const printed = await world.ok('config')
    expect(printed).toMatch(/discord\.token +\(set\)/)

    const found = { env: { DISCORD_API_BASE: fake.api } }
    const checked = await world.bough(['doctor', '--json'], found)
    expect(checked.stdout).toContain('the bot fakebot answers owner')
    expect(printed + checked.stdout).not.toContain(fake.token)
    expect((await world.bough(['discord', '--invite'], found)).stdout).toContain(fake.bot.id)
  })

  it('is set by no agent', async () => {
    await refused(world, ['config', 'discord.token', 'x'], 1, 'An agent may not', { BOUGH_AGENT: '1' })
  })
})

describe('bough discord', () => {
  it('answers, ends with Ctrl-C and 0, and leaves nothing running', async () => {
    const bot = await startBot()
    await asks('herons', '“herons”')
    bot.child.kill('SIGINT')
    const { code, stdout, stderr } = await bot.ended
    expect({ code, told: complaintsIn(stderr) }).toEqual({ code: 0, told: '' })
    expect(stdout).toContain('bough is stopping')
    await fake.until('the connection to be closed', () => fake.connected === 0)
  })

  it('lets a turn end after Ctrl-C, and shows its end', async () => {
    const bot = await startBot()
    fake.userSends(dm, owner, runUntilTold)
    await commandRuns(world.project)
    onTestFinished(() => endCommands(world.project))
    bot.child.kill('SIGINT')
    await bot.shows('bough is stopping')
    await tellToEnd(world.project)
    expect(await bot.ended).toMatchObject({ code: 0 })
    expect(fake.botMessages(dm.id).map(wordsOf).join('\n')).toMatch(/run .* done/)
    await commandGone(world.project)
  })

  it('ends at once with a second Ctrl-C, and what its agent started ends with it', async () => {
    const bot = await startBot()
    fake.userSends(dm, owner, runFor(600))
    await commandRuns(world.project)
    onTestFinished(() => endCommands(world.project))
    bot.child.kill('SIGINT')
    await bot.shows('bough is stopping')
    bot.child.kill('SIGINT')
    await bot.ended
    expect(bot.child.signalCode ?? bot.child.exitCode).toMatch(/SIGINT/)
    // Whoever opens bough next ends what was left.
    await world.ok('ls')
    await commandGone(world.project)
  })

  it.each([
    [
      GatewayCloseCodes.AuthenticationFailed,
      /Authentication failed.*does not know this token.*DISCORD_TOKEN/s,
    ],
    [
      GatewayCloseCodes.DisallowedIntents,
      /Used disallowed intents.*for good \(4014 DisallowedIntents\).*developer portal/s,
    ],
  ])('ends with why when Discord closes the connection for good, with %i', async (code, why) => {
    const bot = await startBot()
    await asks('herons', '“herons”')
    fake.dropSockets(code)
    const ended = await bot.ended
    expect(ended.code).toBe(1)
    expect(complaintsIn(ended.stderr)).toMatch(why)
  })

  it('goes on in the session that is named', async () => {
    const id = (await world.ok('new', '--title', 'Birds')).trim()
    await world.ok('send', id, 'herons')
    await startBot(['--session', id])
    await asks('storks', 'This is turn 2')
  })

  it('logs a stranger, in a line that says when', async () => {
    const bot = await startBot()
    const stranger = fake.createUser('mal\u001b[31mlory')
    fake.userSends(fake.openDm(stranger), stranger, 'hello')
    await bot.shows('was not answered.')
    bot.child.kill('SIGTERM')
    const { code, stderr } = await bot.ended
    expect(code).toBe(0)
    expect(complaintsIn(stderr)).toMatch(
      /^\d\d:\d\d:\d\d {2}A message of mal.*lory \(\d+\) was not answered\.\n$/,
    )
    expect(stderr).not.toContain('\u001b')
  })
})

it('DISCORD_TOKEN is not for the agents', async () => {
  await startBot()
  expect(await agentsEnvironment()).not.toContain('DISCORD_TOKEN')
  const id = (await world.ok('new')).trim()
  const sent = await world.bough(['send', id, 'run printenv PATH\nrun printenv DISCORD_TOKEN'], { env })
  expect(sent.stderr).toMatch(/← \/.*✗ exit 1/s)
  expect(sent.stdout + sent.stderr).not.toContain(fake.token)
})

it('bough discord --server answers with what a running server has, and leaves it running', async () => {
  const server = world.start(['serve', '--port', '0', '--grace', '0'], { env: { DISCORD_TOKEN: fake.token } })
  onTestFinished(async () => {
    server.child.kill('SIGTERM')
    await server.ended
  })
  await server.shows('Ctrl-C stops it')
  const found = await findServer({ data: world.home, config: join(world.home, 'config.json') })
  const elsewhere = createWorld()
  const bot = await startBot(
    ['--server', found?.url ?? '', '--token-file', found?.tokenFile ?? '', '--dir', world.project],
    elsewhere,
  )
  await asks('herons', '“herons”')
  expect(await agentsEnvironment()).not.toContain('DISCORD_TOKEN')
  fake.userRuns(dm, owner, 'fork', { topic: 'storks' })
  await fake.until('the fork', () =>
    fake.botMessages(dm.id).some((each) => wordsOf(each).includes('“storks”')),
  )
  bot.child.kill('SIGINT')
  const { code, stderr } = await bot.ended
  expect({ code, told: complaintsIn(stderr) }).toEqual({ code: 0, told: '' })
  expect(server.child.exitCode).toBeNull()
  expect(await world.ok('ls')).toMatch(/storks.*Discord/s)
})
