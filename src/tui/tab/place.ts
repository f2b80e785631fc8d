import type { Bough } from '../../bough.ts'
import type { Channel } from '../../tree/channel.ts'
import { BoughError, hasCode } from '../../tree/error.ts'
import type { TreeEvent } from '../../tree/event.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { OutboxItem } from '../../tree/outgoing.ts'
import type { Session } from '../../tree/session.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import type { Update } from '../../tree/update.ts'

/** What is around the conversation of a tab: its channel, the fork that is open there, what runs and waits beside. */
export interface Place {
  readonly channel: Channel
  /** A background run that the tab only looks at, also when it is over; null in a tab that talks in its channel. */
  readonly watched: SessionID | null
  /** The interactive fork that is open; null when none is. */
  readonly fork: SideFork | null
  /** Background runs of this channel that are not over, the newest first. */
  readonly runs: readonly SideFork[]
  /** Those that are over too, the newest first, as far back as anybody looks. */
  readonly allRuns: readonly SideFork[]
  readonly updates: readonly Update[]
  /** What was sent to the channel lately, oldest first. */
  readonly sent: readonly OutboxItem[]
}

const mostRuns = 200

export async function readPlace(
  bough: Bough,
  id: Channel['id'],
  watched: SessionID | null = null,
): Promise<Place> {
  const [channel, open, latest, updates, sent] = await Promise.all([
    bough.channel(id),
    bough.sideForks({ channelID: id, state: 'open' }),
    bough.sideForks({ channelID: id, limit: mostRuns }),
    bough.updates(id),
    bough.sent(id),
  ])
  const ended = latest.filter(({ kind, state }) => kind === 'background' && state === 'ended')
  // One may have ended between the two answers.
  const isOver = ({ sessionID }: SideFork): boolean => ended.some((each) => each.sessionID === sessionID)
  const runs = open.filter((each) => each.kind === 'background' && !isOver(each))
  return {
    channel,
    watched,
    fork: open.find(({ sessionID }) => sessionID === channel.openForkID) ?? null,
    runs,
    allRuns: [...runs, ...ended],
    updates,
    sent,
  }
}

/** Which session is shown: the run that is looked at; else the fork that is open, else main. */
export const talksTo = ({ channel, watched }: Pick<Place, 'channel' | 'watched'>): SessionID =>
  watched ?? channel.openForkID ?? channel.mainID

/**
 * The place of a session. A background run belongs to a channel, but nobody talks in it: it is looked at there, and becomes
 * nobody's main by that. Only where it is main already it is talked in.
 */
export async function placeOf(bough: Bough, { id, kind }: Session): Promise<Place> {
  const run = kind === 'background' ? await bough.sideFork(id) : null
  if (run) {
    const channels = await bough.channels()
    const isMain = channels.some(({ mainID }) => mainID === id)
    const isThere = channels.some((channel) => channel.id === run.channelID)
    if (isThere && !isMain) return readPlace(bough, run.channelID, id)
  }
  return readPlace(bough, (await bough.channelOf(id)).id)
}

/** What a change does to a place: which session is talked to there, or only what is beside that; null for neither. */
export function effectOn({ channel }: Place, event: TreeEvent): 'talk' | 'beside' | null {
  switch (event.kind) {
    case 'fork.entered':
    case 'fork.changed':
    case 'fork.ended':
    case 'main.moved':
      return event.subjectID === channel.id ? 'talk' : null
    // A turn takes updates along, is activity in a fork, and is how a run begins.
    case 'turn.started':
    case 'turn.ended':
    case 'update.added':
    case 'session.deleted':
      return 'beside'
    default:
      return null
  }
}

/** Whether a tab at that place is where a session is shown. */
export const isPlaceOf = ({ channel, watched }: Place, id: SessionID): boolean =>
  watched === null ? id === channel.mainID || id === channel.openForkID : id === watched

/** What to tell when something in a tab's channel has failed: one that is not there any more went with its session. */
export async function whyFailed(bough: Bough, id: Channel['id'], error: unknown): Promise<unknown> {
  if (!hasCode(error, 'not_found')) return error
  const isGone = await bough.channel(id).then(
    () => false,
    (other: unknown) => hasCode(other, 'not_found'),
  )
  return isGone
    ? new BoughError('not_found', 'This session was deleted; nothing was sent. Close its tab.', {
        cause: error,
      })
    : error
}

/** Whether tabs at two places would show the same. */
export const isSamePlace = (a: Place, b: Place): boolean =>
  a.channel.id === b.channel.id && a.watched === b.watched
