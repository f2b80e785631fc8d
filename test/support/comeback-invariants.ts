import { DatabaseSync } from 'node:sqlite'
import type { Home } from '../../src/home.ts'
import { storeFile } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import type { Message } from '../../src/tree/message.ts'
import type { SideFork } from '../../src/tree/side-fork.ts'

// What must hold whatever happened and whoever died, read from a store in which nothing goes on any more.

export interface Circumstances {
  /** People also deleted sessions and made others main by hand: what that does to forks is theirs. */
  readonly isTreeEdited?: boolean
}

export async function brokenIn(
  home: Home,
  store: Store,
  { isTreeEdited = false }: Circumstances = {},
): Promise<readonly string[]> {
  const raw = new DatabaseSync(storeFile(home.data), { readOnly: true })
  try {
    const forks = await store.sideForks.list()
    const messages: Message[] = []
    for (const { id, messages: to } of await store.sessions.all())
      messages.push(...(await store.messages.range({ sessionID: id, from: 1, to: Math.max(to, 1) })))
    // What was deleted has taken along what there was to say of it.
    const gone = isTreeEdited ? await goneFrom(raw, store) : nothing
    return [
      ...overlapping(forks),
      ...endings(
        raw,
        forks.filter(({ channelID }) => !gone.has(channelID)),
      ),
      ...updates(raw, messages, forks, gone),
      ...strays(
        messages.filter(({ sessionID }) => !gone.has(sessionID)),
        forks,
      ),
      ...(await unanswered(raw, store, gone)),
      ...unmoved(raw, forks, isTreeEdited),
      ...(isTreeEdited ? [] : await unshown(store, forks)),
    ]
  } finally {
    raw.close()
  }
}

const nothing: ReadonlySet<string> = new Set()

/** Channels, sessions and messages that are named somewhere, and were deleted. */
async function goneFrom(raw: DatabaseSync, store: Store): Promise<ReadonlySet<string>> {
  const gone = new Set<string>()
  for (const { id, deleted } of await store.sessions.all()) if (deleted) gone.add(id)
  for (const { id } of rows<{ id: string }>(
    raw,
    'SELECT channel_id AS id FROM forks WHERE channel_id NOT IN (SELECT id FROM channels)',
  ))
    gone.add(id)
  for (const { id } of rows<{ id: string }>(
    raw,
    `SELECT message_id AS id FROM updates WHERE message_id NOT IN (SELECT id FROM messages)
      UNION SELECT message_id FROM inbox WHERE message_id NOT IN (SELECT prompt_id FROM turns)`,
  ))
    gone.add(id)
  return gone
}

/** At most one open interactive fork per channel, at any time. */
function overlapping(forks: readonly SideFork[]): string[] {
  const broken: string[] = []
  const byChannel = Map.groupBy(
    forks.filter(({ kind }) => kind === 'interactive'),
    ({ channelID }) => channelID,
  )
  for (const list of byChannel.values()) {
    const sorted = list.toSorted((a, b) => (a.sessionID < b.sessionID ? -1 : 1))
    for (const [i, fork] of sorted.entries()) {
      const next = sorted[i + 1]
      if (next && (fork.ended === null || fork.ended > next.started))
        broken.push(`${next.sessionID} began while ${fork.sessionID} was open`)
    }
  }
  return broken
}

/** A fork ends once, and what is said of it is what happened. */
function endings(raw: DatabaseSync, forks: readonly SideFork[]): string[] {
  const broken: string[] = []
  for (const fork of forks) {
    const { sessionID, state, kind, outcome } = fork
    const events = rows<{ kind: string }>(raw, 'SELECT kind FROM events WHERE session_id = ?', sessionID)
    const ended = events.filter((event) => event.kind === 'fork.ended').length
    if (ended !== (state === 'ended' ? 1 : 0))
      broken.push(`${sessionID} is ${state} and ended ${ended} times`)
    const banners = rows<{ what: string }>(raw, 'SELECT what FROM outbox WHERE session_id = ?', sessionID)
      .map(({ what }) => JSON.parse(what))
      .filter((what) => what.kind === 'ended')
    const wanted = state === 'ended' && (kind === 'interactive' || outcome === 'saved') ? 1 : 0
    if (kind === 'interactive' && banners.length !== wanted)
      broken.push(`${sessionID} has ${banners.length} exit banners`)
    if (banners.some((banner) => banner.outcome !== outcome))
      broken.push(`${sessionID} was ${outcome}, and its banner says something else`)
  }
  return broken
}

/** An update reaches main exactly once, and a fork never consumes it. */
function updates(
  raw: DatabaseSync,
  messages: readonly Message[],
  forks: readonly SideFork[],
  gone: ReadonlySet<string>,
): string[] {
  const broken: string[] = []
  const told = new Map<string, Message[]>()
  for (const message of messages)
    for (const report of reportsIn(message, 'Forks have reported:'))
      told.set(report, [...(told.get(report) ?? []), message])
  const kept = rows<{ id: string; text: string; message_id: string | null }>(raw, 'SELECT * FROM updates')
  for (const { id, text, message_id: messageID } of kept) {
    if (!text.startsWith('report-') || (messageID !== null && gone.has(messageID))) continue
    const times = told.get(text) ?? []
    if (times.length !== (messageID === null ? 0 : 1))
      broken.push(`${id} is ${messageID === null ? 'waiting' : 'told'}, and was told ${times.length} times`)
    if (messageID !== null && times[0]?.id !== messageID) broken.push(`${id} was told by another message`)
  }
  for (const [report, times] of told) {
    if (times.length > 1)
      broken.push(`${report} was told ${times.length} times: ${JSON.stringify(times, null, 1)}`)
    for (const message of times) {
      const fork = forks.find(({ sessionID }) => sessionID === message.sessionID)
      if (fork && (fork.ended === null || message.created < fork.ended))
        broken.push(`${report} was consumed by the fork ${fork.sessionID}`)
    }
  }
  return broken
}

// Only what stands there as an update: a reply quotes what an agent said, and that may quote what it was told.
function reportsIn({ parts }: Message, heading: string): readonly string[] {
  const context = contextIn(parts)
  const at = context.indexOf(heading)
  const updates = at === -1 ? '' : context.slice(at).split(/\n(?![-( ])/, 1)[0]
  return [...(updates ?? '').matchAll(/^- [^:\n]+: (report-[0-9a-z]+)$/gm)].map(([, report = '']) => report)
}

const contextIn = (parts: Message['parts']): string =>
  parts.flatMap((part) => (part.type === 'context' ? part.text : [])).join('\n')

/** Nothing addressed to a fork reaches main. */
function strays(messages: readonly Message[], forks: readonly SideFork[]): string[] {
  const broken: string[] = []
  for (const { id, sessionID, parts, created } of messages) {
    const context = parts.flatMap((part) => (part.type === 'context' ? part.text : [])).join('\n')
    if (!/^\[fork-(started|timeout)\]|^\[button\] This fork ends/m.test(context)) continue
    const fork = forks.find((each) => each.sessionID === sessionID)
    if (!fork || (fork.ended !== null && created > fork.ended))
      broken.push(`${id} in ${sessionID} was meant for an open fork: ${context}`)
  }
  return broken
}

/** Every message is answered or reported as failed. */
async function unanswered(raw: DatabaseSync, store: Store, gone: ReadonlySet<string>): Promise<string[]> {
  const broken: string[] = []
  for (const item of rows<Record<string, string | null>>(raw, 'SELECT * FROM inbox')) {
    const { id, state, reason, message_id: messageID, what } = item
    if (state === 'waiting' || state === 'running') broken.push(`${id} is ${state}: ${what}`)
    if (state === 'failed' && !reason) broken.push(`${id} failed without a reason`)
    const { kind } = JSON.parse(what ?? '')
    if (state === 'done' && kind === 'message' && messageID === null)
      broken.push(`${id} is done and became no message`)
    // A fork ends also when its agent could not sum it up.
    if (state !== 'done' || !messageID || kind === 'exit' || kind === 'idle' || gone.has(messageID)) continue
    const turn = rows<{ outcome: string }>(raw, 'SELECT outcome FROM turns WHERE prompt_id = ?', messageID)
    if (turn[0]?.outcome !== 'finished') broken.push(`${id} is done, its turn ${turn[0]?.outcome}`)
  }
  for (const { id } of await store.turns.left()) broken.push(`${id} was never closed`)
  return broken
}

/** What is saved becomes main; and nothing else does, unless somebody makes it main. */
function unmoved(raw: DatabaseSync, forks: readonly SideFork[], isTreeEdited: boolean): string[] {
  const saved = new Set<string>(
    forks.filter(({ outcome }) => outcome === 'saved').map(({ sessionID }) => sessionID),
  )
  const moved = new Set(
    rows<{ session_id: string }>(raw, `SELECT session_id FROM events WHERE kind = 'main.moved'`).map(
      (row) => row.session_id,
    ),
  )
  const wrong = isTreeEdited ? saved.difference(moved) : saved.symmetricDifference(moved)
  return wrong.size > 0 ? ['Saved forks and new mains are not the same'] : []
}

/** The tree shows what happened. */
async function unshown(store: Store, forks: readonly SideFork[]): Promise<string[]> {
  const broken: string[] = []
  for (const { sessionID, kind, channelID } of forks) {
    const session = await store.sessions.get(sessionID)
    if (session?.kind !== kind) broken.push(`${sessionID} is a ${session?.kind}, not ${kind}`)
    const parent = session?.parentID ?? null
    const isMain =
      forks.some((each) => each.sessionID === parent) ||
      (await store.channels.get(channelID))?.mainID === parent ||
      (parent !== null && (await store.sessions.get(parent))?.kind === 'root')
    if (!isMain) broken.push(`${sessionID} branches from ${parent}`)
  }
  for (const { id, mainID } of await store.channels.all()) {
    const last = forks
      .filter((fork) => fork.channelID === id && fork.outcome === 'saved')
      .toSorted((a, b) => (a.ended ?? 0) - (b.ended ?? 0))
      .at(-1)
    if (last && last.ended !== null && mainID !== last.sessionID) {
      const rivals = forks.filter((fork) => fork.outcome === 'saved' && fork.ended === last.ended)
      if (!rivals.some(({ sessionID }) => sessionID === mainID))
        broken.push(`${last.sessionID} was saved last, main is ${mainID}`)
    }
  }
  return broken
}

const rows = <T>(raw: DatabaseSync, sql: string, ...args: string[]): T[] =>
  raw.prepare(sql).all(...args) as T[]
