import type { Bough } from '../../bough.ts'
import { hasCode, messageOf } from '../../tree/error.ts'
import { isMessageID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'
import type { App } from '../app.ts'
import type { Saved } from '../saved/saved.ts'
import type { SavedTab, SavedTabs } from '../saved/saved-tabs.ts'
import type { Tab } from '../tab/tab.ts'
import { atEnd, placeIn, type View } from '../transcript/window.ts'

/** How a tab begins that was open before, or whose session was made for it. */
export interface TabBeginning {
  readonly isNew?: boolean
  readonly view?: View
  readonly draft?: string
}

/** A tab of the last time whose session is still there. */
export interface FoundTab {
  readonly saved: SavedTab
  readonly session: Session
  readonly isCurrent: boolean
}

/** The tabs of the last time, in their order. */
export interface FoundTabs {
  readonly tabs: readonly FoundTab[]
  /** Why others cannot be read. */
  readonly problems: readonly unknown[]
}

/** Those that are still there. One that cannot be read keeps no other one from coming back, and stays in the file. */
export async function findTabs(bough: Bough, saved: Saved): Promise<FoundTabs> {
  const remembered = saved.readTabs()
  if (!remembered) return { tabs: [], problems: [] }
  const { tabs, current } = remembered
  const sessions = await Promise.allSettled(tabs.map((tab) => sessionOf(bough, tab)))
  const isGone = (each: PromiseSettledResult<Session | null> | undefined): boolean =>
    each?.status === 'fulfilled' && each.value === null
  saved.know(tabs.filter((_, i) => isGone(sessions[i])).map(({ channelID }) => channelID))
  return {
    tabs: tabs.flatMap((tab, i) => {
      const session = sessions[i]?.status === 'fulfilled' ? sessions[i].value : null
      return session ? [{ saved: tab, session, isCurrent: i === current }] : []
    }),
    problems: sessions.flatMap((each) => (each.status === 'rejected' ? [each.reason] : [])),
  }
}

/** What came of opening them. */
export interface RestoredTabs {
  /** One of them is shown. */
  readonly isAny: boolean
  /** Opens those that nobody waits for, and tells what went wrong. */
  rest(): Promise<void>
}

/** Opens the one that was shown, or the next one that can be opened. One that cannot is told, and stays in the file. */
export async function restoreTabs(app: App, { tabs: found, ...others }: FoundTabs): Promise<RestoredTabs> {
  const problems = [...others.problems]
  const tellProblems = (): void => {
    if (problems.length > 0) app.tell(problemWords(problems), 'bad')
  }
  const tryOpen = (each: FoundTab, before?: Tab): Promise<Tab | null> =>
    open(app, each, before).catch((error: unknown) => {
      problems.push(error)
      return null
    })
  // Those that are not opened yet.
  const left = new Set(found)
  for (const each of found.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))) {
    left.delete(each)
    const tab = await tryOpen(each)
    if (!tab) continue
    app.showTab(tab)
    const at = found.indexOf(each)
    const rest = async (): Promise<void> => {
      for (const other of left) await tryOpen(other, found.indexOf(other) < at ? tab : undefined)
      tellProblems()
    }
    return { isAny: true, rest }
  }
  return { isAny: false, rest: async () => tellProblems() }
}

function problemWords(problems: readonly unknown[]): string {
  const [first] = problems
  const count = problems.length === 1 ? 'A tab' : `${problems.length} tabs`
  return `${count} of the last time could not be opened: ${messageOf(first)}`
}

/** How the tabs stand now. */
export const tabsNow = ({ tabs, tab }: Pick<App, 'tabs' | 'tab'>): SavedTabs => ({
  current: tabs.indexOf(tab),
  tabs: tabs.map(({ place: { channel }, session, transcript: { view }, composer }) => ({
    channelID: channel.id,
    sessionID: channel.mainID,
    ...(view.kind === 'at' && {
      top: {
        ...{ session: session.id, key: view.key, line: view.line },
        ...(view.piece && { from: view.piece.from }),
      },
    }),
    ...(!composer.isEmpty && { draft: composer.text }),
  })),
})

// The channel may have another main by now; without the channel, the session itself is what is left.
async function sessionOf(bough: Bough, { channelID, sessionID }: SavedTab): Promise<Session | null> {
  const main = await unlessGone(bough.channel(channelID).then(({ mainID }) => bough.session(mainID)))
  return main ?? unlessGone(bough.session(sessionID))
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (hasCode(error, 'not_found')) return null
    throw error
  })
}

async function open(app: App, { saved: { top, draft }, session }: FoundTab, before?: Tab): Promise<Tab> {
  const beginning: TabBeginning = {
    ...(top && { view: placeIn(top.key, top.line, top.from) }),
    ...(draft !== undefined && { draft }),
  }
  const tab = await app.addTab(session, beginning, before)
  // It is shown at once; what is far above comes when it is there.
  if (top) void showTop(app, tab, top)
  return tab
}

async function showTop(app: App, tab: Tab, { session, key }: NonNullable<SavedTab['top']>): Promise<void> {
  const { conversation, transcript } = tab
  const isOther = conversation.session.id !== session
  if (!isOther && isMessageID(key)) await conversation.loadBackTo(key).catch(() => {})
  const isThere = conversation.entries.some((entry) => entry.key === key)
  // Another fork is open there by now, or what was on top was never stored.
  if ((isOther || !isThere) && transcript.view.kind === 'at' && transcript.view.key === key)
    transcript.view = atEnd
  app.redraw()
}
