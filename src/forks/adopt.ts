import type { Agents } from '../agents/agents.ts'
import type { Driver } from '../agents/driver.ts'
import { wholeHistory, wholeSession } from '../agents/whole-times.ts'
import { livingSession } from '../store/find.ts'
import { readBackwards } from '../store/line.ts'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { Clock, Ids, MessageID, SessionID } from '../tree/ids.ts'
import type { Adoptable, AdoptableList } from '../tree/native.ts'
import type { Session } from '../tree/session.ts'
import { untitled } from '../tree/title.ts'
import { withAnswers } from '../tree/whole-groups.ts'
import { isSeedText, withoutSeed } from '../turns/seed/without-seed.ts'
import { fillSession } from './fill-session.ts'

export interface AdoptParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly agents: Agents
}

/** What the agents keep for a directory and its worktrees. One that cannot tell does not hide the others'. */
export async function adoptable(
  { store, agents }: AdoptParts,
  directory: string,
  wanted: string | undefined,
): Promise<AdoptableList> {
  const sessions: Adoptable[] = []
  const notices: string[] = []
  const ask = async ({ name: agent, native, check }: Driver): Promise<void> => {
    if (!native || (wanted === undefined && !(await check()).installed)) return
    for (const { forkedFrom, ...found } of (await native.list(directory)).map(wholeSession)) {
      const sessionID = await store.sessions.boundTo(agent, found.nativeID)
      // What is left of a seed that was tried again is of no use to anybody.
      if (sessionID === null && isSeedText(found.title)) continue
      const title = sessionID ? (await livingSession(store, sessionID)).title : found.title
      sessions.push({ agent, ...found, title, sessionID, forkOf: forkedFrom?.nativeID ?? null })
    }
  }
  const drivers = wanted === undefined ? agents.all : [agents.named(wanted)]
  for (const [i, asked] of (await Promise.allSettled(drivers.map(ask))).entries()) {
    if (asked.status === 'fulfilled') continue
    const words = asked.reason instanceof Error ? asked.reason.message : String(asked.reason)
    notices.push(`What ${drivers[i]?.name} has could not be listed: ${words}`)
  }
  return { sessions: sessions.toSorted((a, b) => b.updated - a.updated), notices }
}

export interface AdoptOptions {
  /** Brings a session up to what its agent has of it. */
  catchUp(id: SessionID): Promise<unknown>
  /** Throws where no session may work in the directory that it has; asked before anything is stored. */
  mayWorkIn?(directory: string): Promise<unknown>
  readonly signal?: AbortSignal
}

/**
 * Binds a session to what an agent keeps: that stays where it is, and what was said in it joins the tree. A fork that was
 * made in the agent's own tool becomes one here, where the tool has recorded it and its parent is here.
 */
export async function adopt(
  parts: AdoptParts,
  agent: string,
  nativeID: string,
  { catchUp, mayWorkIn, signal }: AdoptOptions,
): Promise<Session> {
  const { store, ids, agents } = parts
  const { native } = agents.named(agent)
  if (!native) throw new BoughError('bad_input', `${agent} keeps no sessions of its own.`)
  const adopted = await store.sessions.boundTo(agent, nativeID)
  if (adopted) return livingSession(store, adopted)
  const { session: found, model, version, messages, shared } = wholeHistory(await native.read(nativeID))
  await mayWorkIn?.(found.directory)
  const { forkedFrom } = found
  const parentID = forkedFrom && (await store.sessions.boundTo(agent, forkedFrom.nativeID))
  if (parentID) await catchUp(parentID)
  const forkPoint = parentID && forkedFrom.at && (await messageAt(store, parentID, forkedFrom.at))
  const own = forkPoint ? messages.slice(shared) : messages
  return fillSession(
    parts,
    {
      id: ids.session(),
      parentID: forkPoint ? parentID : null,
      forkPoint: forkPoint || null,
      title: found.title === '' ? untitled : found.title,
      titled: found.title !== '' && !isSeedText(found.title),
      agent,
      model,
      directory: found.directory,
      kind: forkPoint ? 'branch' : 'root',
      labels: [],
      created: found.created,
    },
    withAnswers(withoutSeed(own)),
    { native: { nativeID, version }, updated: found.updated, ...(signal && { signal }) },
  )
}

/** The message of a line that stands for an entry. */
async function messageAt(store: Store, id: SessionID, entry: string): Promise<MessageID | null> {
  for await (const message of readBackwards(store, await store.sessions.line(id)))
    if (message.nativeID === entry) return message.id
  return null
}
