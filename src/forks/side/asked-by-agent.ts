import type { Transaction } from '../../store/store.ts'
import { BoughError } from '../../tree/error.ts'
import type { ChannelID, SessionID, TurnID } from '../../tree/ids.ts'
import { shortID } from '../../tree/ids.ts'
import type { Outgoing } from '../../tree/outgoing.ts'
import type { ExitAction, RunOptions, SideFork } from '../../tree/side-fork.ts'
import { toolsOfRun } from '../../turns/permissions.ts'
import type { RunRequest } from './background-runs.ts'
import { channelOfTurn } from './channel-of.ts'
import type { Channels } from './channels.ts'
import { report } from './end-fork.ts'
import { post } from './post.ts'
import type { SideParts } from './side-parts.ts'

// What agents ask for with bough's tools. They only say what they want: a fork begins and ends after the turn. Each resolves
// with words for the agent, and rejects with those that say why not.

/** Which agent asks, and in which turn. */
export interface Asking {
  readonly sessionID: SessionID
  readonly turnID: TurnID | null
}

type AskParts = Pick<SideParts, 'store' | 'ids' | 'clock'>

/** Wants a fork of main, after this turn. */
export async function askForFork(
  parts: AskParts,
  channels: Channels,
  { sessionID, turnID }: Asking,
  { topic, idleTimeout }: { readonly topic: string | null; readonly idleTimeout: number | null },
): Promise<string> {
  const item = await parts.store.transaction(async (tx) => {
    const fork = await tx.sideForks.get(sessionID)
    if (fork?.state === 'open') throw no(nestedWords[fork.kind])
    const channel = await channelOfTurn(parts, tx, { sessionID, turnID })
    if (channel.openForkID !== null) throw no('A fork is open already. Forks do not nest.')
    const waiting = await tx.inbox.open(channel.id)
    if (waiting.some(({ what }) => what.kind === 'fork' && what.turnID === turnID))
      throw no('You have asked for a fork in this turn already: it begins after the turn.')
    const what = { kind: 'fork', topic, idleTimeout, turnID } as const
    const wanted = channels.newItem(channel.id, what, { isUrgent: true })
    await tx.inbox.insert(wanted)
    return wanted
  })
  channels.begin(item)
  return topic === null
    ? 'A fork begins after this turn. End your turn now; the person talks to you there.'
    : 'A fork begins after this turn, and the topic is its first message. End your turn now.'
}

const nestedWords: Record<SideFork['kind'], string> = {
  interactive: 'You are in a fork already. Forks do not nest: end this one first.',
  background: 'A background fork cannot open a fork. Use report_updates or ping_user instead.',
}

/** Wants the fork that it is in to end, after this turn. In a background fork a report goes out at once. */
export function askToExit(
  parts: AskParts,
  { sessionID, turnID }: Asking,
  action: ExitAction,
  text: string | null,
): Promise<string> {
  return parts.store.transaction(async (tx) => {
    const fork = await tx.sideForks.get(sessionID)
    if (fork?.state !== 'open')
      throw no(
        'You are not in a fork, so there is nothing to end. This is the main conversation, or a branch.',
      )
    if (fork.kind === 'background') return exitOfRun(parts, tx, fork, action, text)
    if (await isFirstWord(tx, fork, turnID))
      throw no('You were given the topic just now: work on it first. You can leave the fork in a later turn.')
    if (!(await tx.sideForks.wish(sessionID, { action, text, turnID })))
      throw no(
        `This fork ends after this turn already: ${fork.wish?.action ?? 'it is over'}. The first wish counts.`,
      )
    tx.record({ kind: 'fork.changed', sessionID, subjectID: fork.channelID })
    return afterTurnWords[action]
  })
}

async function exitOfRun(
  parts: AskParts,
  tx: Transaction,
  fork: SideFork,
  action: ExitAction,
  text: string | null,
): Promise<string> {
  const { sessionID } = fork
  switch (action) {
    case 'discard':
      throw no('A background fork ends by itself, with this turn. There is nothing to exit.')
    case 'report':
      await report(parts, tx, fork, text ?? '')
      return 'Noted: the main conversation is told with its next message. Go on.'
    case 'save':
      await tx.sideForks.wish(sessionID, { action, text: null, turnID: null })
      tx.record({ kind: 'fork.changed', sessionID, subjectID: fork.channelID })
      return 'This fork becomes the main conversation when its run ends. Go on.'
  }
}

// The topic is the first message of its fork. An agent may leave at once a fork that it opened itself.
async function isFirstWord(
  tx: Transaction,
  { sessionID, topic, origin }: SideFork,
  turnID: TurnID | null,
): Promise<boolean> {
  if (topic === null || turnID === null || origin === 'agent') return false
  const turn = await tx.turns.get(turnID)
  const said = await tx.messages.range({ sessionID, from: 1, to: 20 })
  return turn !== null && said.find(({ role }) => role === 'user')?.id === turn.promptID
}

const afterTurnWords: Record<ExitAction, string> = {
  save: 'After this turn the fork becomes the main conversation.',
  report: 'After this turn the fork ends, and the main conversation is told.',
  discard: 'After this turn the fork ends, and nothing returns.',
}

/** Starts a run beside everything else. It may use no tool that its starter may not. */
export async function askForRun(
  parts: AskParts,
  channels: Channels,
  { sessionID, turnID }: Asking,
  prompt: string,
  { timeout, agent, model, allowedTools, files }: RunOptions,
): Promise<string> {
  const { store } = parts
  const channel = await store.transaction((tx) => channelOfTurn(parts, tx, { sessionID, turnID }))
  const own = await toolsOfRun(store, sessionID, turnID)
  const request: RunRequest = {
    origin: 'agent',
    prompt,
    allowedTools: narrowed(own, allowedTools ?? null),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(files !== undefined && { files }),
    ...(timeout !== undefined && { timeout: timeout * 60_000 }),
  }
  const fork = await channels.start(channel.id, request)
  return `It runs in the background now, as ${shortID(fork.sessionID)}. You are not told when it ends, unless it reports.`
}

/** The tools that both allow. A rule like `run(git *)` stands for itself only. */
export function narrowed(
  own: readonly string[] | null,
  wanted: readonly string[] | null,
): readonly string[] | null {
  if (own === null) return wanted
  if (wanted === null) return own
  return wanted.filter((rule) => own.includes(rule) || own.includes(rule.replace(/\(.*$/s, '')))
}

/** Sends something to the person, in the channel that the agent belongs to. */
export function askToSend(
  parts: AskParts,
  { sessionID, turnID }: Asking,
  make: (tx: Transaction, channelID: ChannelID, forkID: SessionID | null) => Promise<Outgoing>,
): Promise<string> {
  return parts.store.transaction(async (tx) => {
    const channel = await channelOfTurn(parts, tx, { sessionID, turnID })
    const fork = await tx.sideForks.get(sessionID)
    await post(tx, parts, channel.id, sessionID, await make(tx, channel.id, fork && sessionID))
    if (fork) await tx.sideForks.note(sessionID, 'pinged')
    return 'Sent.'
  })
}

const no = (words: string): BoughError => new BoughError('bad_input', words)
