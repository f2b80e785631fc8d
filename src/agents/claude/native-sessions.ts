import type { SDKSessionInfo } from '@anthropic-ai/claude-agent-sdk'
import type { NativeSession } from '../../tree/native.ts'
import type { NativeSessions } from '../driver.ts'
import type { Sdk } from './find-claude.ts'
import { unreadable } from './no-session.ts'
import { readHistory } from './read-history.ts'
import { type Entry, lineIn, originOf } from './session-entries.ts'
import { sessionInfo } from './session-info.ts'

/** The sessions that Claude keeps, each in a file of its own. */
export const nativeSessionsOf = (sdk: Sdk): Omit<NativeSessions, 'command'> => ({
  async list(directory) {
    const infos = await sdk.listSessions({ dir: directory, includeWorktrees: true })
    const newestFirst = infos.toSorted((a, b) => b.lastModified - a.lastModified)
    return Promise.all(
      newestFirst.map(async (info) => {
        // One that went away meanwhile came from nowhere.
        const origin = await originOf(sdk, info.sessionId).catch(() => null)
        return sessionOf(info, directory, origin === null ? null : { nativeID: origin, at: null })
      }),
    )
  },
  async read(nativeID) {
    // Looked at before it is read: what is written meanwhile makes another version.
    const info = await sessionInfo(sdk, nativeID)
    const line = await lineIn(sdk, nativeID)
    if (!info || line.length === 0) throw unreadable()
    const session = sessionOf(info, '', forkedFrom(line))
    const history = readHistory(line, session.created)
    const copied = new Set(line.flatMap(({ uuid, forkedFrom }) => (forkedFrom ? uuid : [])))
    const own = history.messages.findIndex(({ nativeID }) => !copied.has(nativeID ?? ''))
    return { session, version: versionOf(info), shared: own < 0 ? history.messages.length : own, ...history }
  },
  async version(nativeID) {
    const info = await sessionInfo(sdk, nativeID)
    return info ? versionOf(info) : null
  },
})

const sessionOf = (
  { sessionId, summary, cwd, createdAt, lastModified, fileSize }: SDKSessionInfo,
  directory: string,
  forkedFrom: NativeSession['forkedFrom'],
): NativeSession => ({
  nativeID: sessionId,
  title: summary,
  directory: cwd ?? directory,
  created: createdAt ?? lastModified,
  updated: lastModified,
  bytes: fileSize ?? null,
  forkedFrom,
})

const versionOf = ({ lastModified, fileSize }: SDKSessionInfo): string => `${lastModified}-${fileSize ?? 0}`

/** A copy says of each of its entries which one it is a copy of. */
function forkedFrom(line: readonly Entry[]): NativeSession['forkedFrom'] {
  const last = line.findLast(({ type, forkedFrom }) => type !== 'system' && forkedFrom)?.forkedFrom
  return last ? { nativeID: last.sessionId, at: last.messageUuid } : null
}
