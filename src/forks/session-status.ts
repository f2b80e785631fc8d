import type { Agents } from '../agents/agents.ts'
import { livingSession, onLine } from '../store/find.ts'
import type { Reader } from '../store/store.ts'
import type { SessionID } from '../tree/ids.ts'
import { lengthOf, rangesOf } from '../tree/line.ts'
import type { SessionStatus, StatusQuery } from '../tree/session-status.ts'
import { tokensOf } from '../turns/seed/tokens.ts'
import { gitStatus } from '../workspace/git-status.ts'
import { forkModel } from './fork-model.ts'

interface StatusParts {
  readonly store: Reader
  readonly agents: Agents
  readonly dataDirectory: string
}

/** How it stands around a session, or would around a fork of it. */
export async function sessionStatus(
  { store, agents, dataDirectory }: StatusParts,
  id: SessionID,
  query: StatusQuery,
): Promise<SessionStatus> {
  const session = await livingSession(store, id)
  const { messageID, before = false, agent = session.agent } = query
  const line = await store.sessions.line(id)
  const at = messageID === undefined ? null : await onLine(store, line, messageID)
  const end = at ? at.position - (before ? 1 : 0) : lengthOf(line)
  let bytes = 0
  for (const range of rangesOf(line, 1, end)) bytes += await store.messages.bytes(range)
  const [git, window] = await Promise.all([
    gitStatus(dataDirectory, session.directory),
    agents.named(agent).contextWindow(forkModel(session, query)),
  ])
  return { git, messages: end, tokens: tokensOf(bytes), window }
}
