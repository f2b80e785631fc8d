import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { FakeDiscord } from '../discord/fake-discord.ts'
import { scaledLimits } from '../discord/rate-limits.ts'
import type { Address } from '../event-reader.ts'
import { portOf } from '../port-of.ts'
import { makeGround, type SoakGround } from './ground.ts'
import type { Complain, KeptProcess } from './kept-process.ts'
import { KeptProgram } from './kept-program.ts'
import { KeptTerminal } from './kept-terminal.ts'

/** Every program that runs all the time, and Discord. Of servers and terminals there are two: one of each grows old. */
export interface Crew {
  readonly ground: SoakGround
  readonly discord: Awaited<ReturnType<typeof openDiscord>>
  readonly servers: readonly Address[]
  readonly terminals: readonly KeptTerminal[]
  readonly all: readonly KeptProcess[]
}

export async function gatherCrew(launcher: string, complain: Complain): Promise<Crew> {
  const discord = await openDiscord()
  const token = randomUUID()
  const ground = makeGround(launcher, {
    BOUGH_TOKEN: token,
    DISCORD_TOKEN: discord.fake.token,
    DISCORD_OWNER_ID: discord.owner.id,
    DISCORD_API_BASE: discord.fake.api,
  })
  const program = (name: string, saysReady: string, args: readonly string[], growsOld = true) =>
    new KeptProgram({ name, growsOld, ground, args, saysReady, complain })
  const terminal = (name: string, growsOld: boolean) => new KeptTerminal({ name, growsOld, ground, complain })
  const ports = [await freePort(), await freePort()]
  const [young, old] = ports.map((port) => ['serve', '--port', String(port), '--grace', '1'])
  const terminals = [terminal('terminal', false), terminal('old terminal', true)]
  return {
    ground,
    discord,
    servers: ports.map((port) => ({ url: `http://127.0.0.1:${port}`, token })),
    terminals,
    all: [
      program('server', 'Its token is', young ?? [], false),
      program('old server', 'Its token is', old ?? []),
      program('bot', 'bough answers in your direct messages', ['discord']),
      program('daemon', 'bough keeps time', ['daemon']),
      ...terminals,
    ],
  }
}

async function openDiscord() {
  // The bot keeps to Discord's limits: they are only made shorter, so that much can be said in a short time.
  const fake = await new FakeDiscord({ rateLimits: scaledLimits(1 / 10) }).start()
  const owner = fake.createUser()
  return { fake, owner, dm: fake.openDm(owner) }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  return port
}
