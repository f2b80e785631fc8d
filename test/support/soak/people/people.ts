import type { Bough } from '../../../../src/bough.ts'
import type { Store } from '../../../../src/store/store.ts'
import { randomFrom } from '../../random.ts'
import type { Crew } from '../crew.ts'
import { AtTerminal } from './at-terminal.ts'
import { OnCommandLine } from './on-command-line.ts'
import { OnDiscord } from './on-discord.ts'
import { OverHttp } from './over-http.ts'
import { type Lane, letAct, type Person, type Surroundings } from './person.ts'

/** Milliseconds between two things that somebody does, on average. */
const pace = 700

/** How many things may wait in all channels. */
const mostWaiting = 12

/** Everybody who uses bough at the same time. */
export interface People {
  /** Served by the server that grows old. */
  readonly bough: Bough
  letAct(over: AbortSignal): readonly Lane[]
  leave(): Promise<void>
}

export async function invitePeople(
  { ground, discord, servers, terminals }: Crew,
  store: Store,
  shared: Pick<Surroundings, 'said' | 'complain'>,
  seed: number,
): Promise<People> {
  let count = 0
  const surroundings = (): Surroundings => {
    count++
    return { ...shared, random: randomFrom(seed + count), isCrowded: () => isCrowded(store) }
  }
  const clients: OverHttp[] = []
  for (const [i, address] of servers.entries())
    clients.push(await OverHttp.open(`over HTTP ${i + 1}`, address, ground, surroundings()))
  const bough = clients.at(-1)?.bough
  if (!bough) throw new Error('There is no server.')
  const commandLine = new OnCommandLine(ground, store, surroundings())
  const people: readonly Person[] = [
    ...clients,
    new OnDiscord(discord, bough, surroundings()),
    ...terminals.map((terminal) => new AtTerminal(terminal, surroundings())),
    commandLine,
  ]
  return {
    bough,
    letAct: (over) => people.map((person) => letAct(person, surroundings(), pace, over)),
    async leave() {
      commandLine.stop()
      for (const client of clients) await client.close()
    },
  }
}

async function isCrowded(store: Store): Promise<boolean> {
  const channels = await store.inbox.busy()
  const waiting = await Promise.all(channels.map((id) => store.inbox.open(id)))
  return waiting.flat().length > mostWaiting
}
