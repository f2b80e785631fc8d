import type { Bough, PersonsDoing } from '../../src/bough.ts'
import { BoughError } from '../../src/tree/error.ts'
import type { ChannelFrontEnd } from '../../src/tree/front-end.ts'
import type { ChannelID, InquiryID, SessionID } from '../../src/tree/ids.ts'

/** A channel as somebody uses it who does anything at any time. */
export interface Player {
  readonly bough: Bough
  readonly channelID: ChannelID
  readonly random: () => number
  /** Messages of the chat, and buttons in it. */
  readonly shown: string[]
  readonly buttons: InquiryID[]
  /** Moves the clock on by so many milliseconds; null where the clock is not ours to move. */
  readonly advance: ((by: number) => void) | null
}

/** A front end that notes what it is given. */
export const noting = (player: Pick<Player, 'shown' | 'buttons'>): ChannelFrontEnd => ({
  async show(turn) {
    await turn.ended
  },
  async send(what, id) {
    player.shown.push(id)
    if (what.kind === 'embed') player.buttons.push(...what.buttons.map(({ inquiryID }) => inquiryID))
    return id
  },
  async edit() {},
  async ask() {},
})

const minute = 60_000

/** Does one thing. What is refused is no fault: the reasons are checked. */
export async function act(player: Player): Promise<void> {
  const { bough, channelID, random } = player
  const chance = random()
  try {
    if (chance < 0.42) await say(player, { kind: 'message', text: anyText(random) })
    else if (chance < 0.52) await say(player, anyFork(random))
    else if (chance < 0.68) await exit(player)
    else if (chance < 0.76) await reply(player)
    else if (chance < 0.82) await click(player)
    else if (chance < 0.88) await bough.runBackground(channelID, anyRun(random))
    else if (chance < 0.93) await talkBeside(player)
    else player.advance?.(random() < 0.5 ? 6 * minute : 11 * minute)
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}

const refusals = [
  'fork_open',
  'fork_ended',
  'bad_input',
  'not_found',
  'session_busy',
  'closed',
  'ownership_lost',
]

const isRefusal = (error: unknown): boolean =>
  error instanceof BoughError && refusals.includes(error.code) && error.message.length > 10

const say = ({ bough, channelID }: Player, what: PersonsDoing): Promise<void> => bough.say(channelID, what)

async function exit(player: Player): Promise<void> {
  const { bough, channelID, random } = player
  const forkID = (await bough.channel(channelID)).openForkID ?? (await anyEnded(player))
  if (forkID === null) return
  const action = anyOf(random, ['save', 'report', 'discard'] as const)
  if (random() < 0.7) await say(player, { kind: 'exit', action, forkID })
  else
    await bough.exit(forkID, {
      action,
      ...(action === 'report' && random() < 0.5 && { text: token(random) }),
    })
}

async function anyEnded({ bough, channelID, random }: Player): Promise<SessionID | null> {
  const forks = await bough.sideForks({ channelID, limit: 5 })
  return forks.length === 0 ? null : anyOf(random, forks).sessionID
}

async function reply(player: Player): Promise<void> {
  const { shown, random } = player
  const externalID = shown.length > 0 && random() < 0.9 ? anyOf(random, shown) : 'unknown'
  await say(player, {
    ...{ kind: 'message', text: anyText(random) },
    replyTo: { externalID, text: 'what was there' },
  })
}

// What is for main waits for the end of the open fork, which may come when nobody acts any more: that is not waited for.
async function click({ bough, channelID, buttons, random }: Player): Promise<void> {
  if (buttons.length === 0) return
  const waits = Promise.withResolvers<void>()
  const inquiryID = anyOf(random, buttons)
  const clicked = bough.say(channelID, { kind: 'click', inquiryID }, { tell: () => waits.resolve() })
  clicked.catch(() => {})
  await Promise.race([clicked, waits.promise])
}

// Not through the queue: somebody uses `bough send` on main or on the fork.
async function talkBeside({ bough, channelID, random }: Player): Promise<void> {
  const { mainID, openForkID } = await bough.channel(channelID)
  const turn = await bough.send(openForkID !== null && random() < 0.5 ? openForkID : mainID, anyText(random))
  await turn.ended
}

function anyFork(random: () => number): PersonsDoing {
  const idleTimeout = 1 + Math.floor(random() * 15)
  return random() < 0.5
    ? { kind: 'fork', idleTimeout }
    : { kind: 'fork', idleTimeout, topic: anyText(random) }
}

/** Every report is told from every other. */
const token = (random: () => number): string => `report-${Math.floor(random() * 1e15).toString(36)}`

export const anyText = (random: () => number): string =>
  anyOf(random, [
    () => 'words 3',
    () => 'words 20',
    () => `tool report_updates {"message": "${token(random)}"}`,
    () => `tool report_updates {"message": "${token(random)}"}\ntool save_context {}`,
    () => 'tool save_context {}',
    () => 'tool exit_fork {}',
    () => 'tool exit_fork {}\ntool save_context {}',
    () => 'tool enter_fork {}',
    () => `tool enter_fork ${JSON.stringify({ topic: 'words 2' })}`,
    () => `tool enter_fork ${JSON.stringify({ topic: 'tool exit_fork {}' })}`,
    () => `tool run_background ${JSON.stringify({ prompt: anyRun(random) })}`,
    () => 'fail on purpose',
  ])()

export const anyRun = (random: () => number): string =>
  anyOf(random, [
    () => 'words 4',
    () => 'sleep 0.05',
    () => `tool report_updates {"message": "${token(random)}"}`,
    () => `tool report_updates {"message": "${token(random)}"}\ntool save_context {}`,
    () => 'tool save_context {}\nwords 3',
    () => 'tool exit_fork {}\ntool enter_fork {}',
    () => 'tool ping_user {"text": "look"}',
    () => 'tool send_embed {"title": "t", "body": "b", "buttons": [{"label": "l", "prompt": "words 2"}]}',
    () => 'tool ping_user {"text": "look"}\nfail on purpose',
  ])()

export function anyOf<T>(random: () => number, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}
