import type { ChannelID, SessionID } from '../../tree/ids.ts'
import { isSessionID } from '../../tree/ids.ts'

// The tabs of a project as a file keeps them from one start to the next. Which fork is open in a tab is not among it: the
// channel knows.

export interface SavedTabs {
  readonly tabs: readonly SavedTab[]
  /** Which of them is shown. */
  readonly current: number
}

export interface SavedTab {
  readonly channelID: ChannelID
  /** Its main, for when the channel is gone. */
  readonly sessionID: SessionID
  /** What is at the top of its transcript; absent: it is at its end. */
  readonly top?: {
    readonly session: SessionID
    readonly key: string
    /** Where in a long message; absent: at its beginning. */
    readonly from?: number
    readonly line: number
  }
  /** What was typed and not sent. */
  readonly draft?: string
}

/** So many tabs, and so much of a draft, are worth keeping. */
const mostTabs = 50
const longestDraft = 100_000

/** What a file says; null where that is nothing, or damaged. One tab that is damaged is left out. */
export function tabsIn(content: unknown): SavedTabs | null {
  if (!isRecord(content) || content.version !== 1 || !Array.isArray(content.tabs)) return null
  const tabs = content.tabs.flatMap((each) => tabIn(each) ?? []).slice(0, mostTabs)
  if (tabs.length === 0) return null
  const current = typeof content.current === 'number' ? Math.trunc(content.current) : 0
  return { tabs, current: Math.max(0, Math.min(current, tabs.length - 1)) }
}

export const contentOf = ({ tabs, current }: SavedTabs): object => ({
  version: 1,
  current,
  tabs: tabs.map(({ draft = '', ...tab }) =>
    draft === '' || draft.length > longestDraft ? tab : { ...tab, draft },
  ),
})

/**
 * The tabs of several terminals in one project, when one of them writes: its own, and those that others have opened since it
 * last read or wrote the file (`known` is what was there then). What it has closed itself goes.
 */
export function merged(
  known: ReadonlySet<ChannelID>,
  stored: readonly SavedTab[],
  { tabs, current }: SavedTabs,
): SavedTabs {
  const own = new Set(tabs.map(({ channelID }) => channelID))
  const others = stored.filter(({ channelID }) => !own.has(channelID) && !known.has(channelID))
  return { tabs: [...tabs, ...others].slice(0, Math.max(mostTabs, tabs.length)), current }
}

function tabIn(value: unknown): SavedTab | null {
  if (!isRecord(value)) return null
  const { channelID, sessionID, top, draft } = value
  if (!isChannelID(channelID) || typeof sessionID !== 'string' || !isSessionID(sessionID)) return null
  return {
    channelID,
    sessionID,
    ...(isTop(top) && {
      top: {
        ...{ session: top.session, key: top.key, line: top.line },
        ...(Number.isInteger(top.from) && { from: top.from }),
      },
    }),
    ...(typeof draft === 'string' && { draft }),
  }
}

const isChannelID = (value: unknown): value is ChannelID =>
  typeof value === 'string' && /^chn_\w+$/.test(value)

const isTop = (value: unknown): value is NonNullable<SavedTab['top']> =>
  isRecord(value) &&
  typeof value.session === 'string' &&
  isSessionID(value.session) &&
  typeof value.key === 'string' &&
  Number.isInteger(value.line)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
