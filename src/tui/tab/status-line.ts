import { homedir } from 'node:os'
import { basename } from 'node:path'
import { plainLine } from '../../tree/plain-text.ts'
import { usageWords } from '../../tree/usage-words.ts'
import type { ActionName } from '../keys/actions.ts'
import type { KeyMap } from '../keys/key-map.ts'
import type { Panel } from '../panels/panel.ts'
import { cut, ends, type Frame, widthOf } from '../screen/frame.ts'
import type { Theme, Tone } from '../screen/theme.ts'
import { replyWords } from '../side-forks/reply.ts'
import { runsWords } from '../side-forks/runs-words.ts'
import { unseenIn } from '../side-forks/unseen-runs.ts'
import type { Tab } from './tab.ts'
import { fullnessWords, tokenWords } from './token-words.ts'

/** What Esc does now, in a few words. */
function escapeWords(tab: Tab): string {
  if (tab.transcript.found) return 'Esc ends the search'
  if (tab.ui.panel) return escapeInPanel(tab.ui.keys, tab.ui.panel)
  if (tab.backtrack.on) return 'Esc back'
  if (tab.ui.shownAside) return 'Esc answers later'
  if (tab.composer.isCompleting) return 'Esc closes the list'
  if (tab.conversation.isRunning) return 'Esc interrupts'
  if (!tab.composer.isEmpty) return 'Esc clears'
  return tab.replyTo ? 'Esc leaves the reply' : 'Esc looks back'
}

// Its own keys count while it is open, and Esc may not be among them.
function escapeInPanel(keys: KeyMap, { scopes }: Panel): string {
  const name = keys.find(scopes, '\u001b')
  if (name === 'approval.later') return 'Esc answers later'
  return name?.endsWith('.close') ? 'Esc closes' : ''
}

/** Something that the status tells. Where there is no room for all, those of the lowest worth are left out first. */
interface Fact {
  readonly words: string
  readonly worth: number
  readonly tone?: Tone
}

/** One line: who, where, how full, how much, what waits, and what Esc does now. */
export function statusLine(tab: Tab, columns: number, { paint }: Theme): string {
  const onEscape = escapeWords(tab)
  const right = onEscape === '' ? '' : ` ${onEscape} `
  const room = columns - widthOf(right) - 1
  const facts = kept(factsOf(tab), room)
  const left = facts.map(({ words, tone = 'dim' }) => paint(tone, words)).join(paint('dim', ' · '))
  return ends(` ${cut(left, room)}`, paint('dim', right), columns)
}

/** Background runs in a line of their own, while some go on, or the person has not seen how they ended. */
export function runsLine(tab: Tab, columns: number, { paint }: Theme): Frame {
  const { place, ui } = tab
  const words = runsWords(place, unseenIn(tab), ui.permissions)
  if (words === '' || place.watched !== null) return { lines: [], areas: [] }
  const text = cut(` ${words}`, columns - 5)
  const line = ends(
    paint('tool', text),
    paint('dim', ` ${ui.panel ? '' : ui.keys.wordsFor('runs.open')} `),
    columns,
  )
  return {
    lines: [line],
    areas: [{ row: 0, from: 0, to: columns, does: () => ui.perform('runs.open') }],
  }
}

/** What the next message replies to, where it does. */
export function replyLine({ replyTo, ui }: Tab, columns: number, { paint }: Theme): readonly string[] {
  if (!replyTo) return []
  const right = ` ${ui.keys.wordsFor('composer.escape')} leaves it `
  return [
    ends(
      paint('accent', cut(` ↩ ${replyWords(replyTo)}`, columns - right.length)),
      paint('dim', right),
      columns,
    ),
  ]
}

function factsOf(tab: Tab): readonly Fact[] {
  const { session, place, ui } = tab
  const { fork, updates } = place
  const { permissions } = ui
  // While a panel is open these keys do nothing.
  const key = (name: ActionName): string => (ui.panel ? '' : ui.keys.wordsFor(name))
  const facts: readonly Fact[] = [
    { words: ui.isAway ? 'no connection' : '', worth: 11, tone: 'bad' },
    { words: plainLine(session.agent), worth: 9 },
    { words: plainLine(session.model ?? ''), worth: 2 },
    { words: placeWords(tab), worth: 6 },
    { words: contextWords(tab), worth: 5 },
    { words: costWords(tab), worth: 4 },
    { words: forkWords(tab), worth: fork ? 8 : 3 },
    {
      words: permissions.length > 0 ? `${permissions.length} asked ${key('approvals.open')}`.trim() : '',
      ...{ worth: 10, tone: 'warning' },
    },
    {
      words: updates.length > 0 ? `${countOf(updates.length, 'update')} ${key('updates.open')}`.trim() : '',
      worth: 7,
    },
  ]
  return facts.filter(({ words }) => words !== '')
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

// Those of the highest worth first, as long as they fit; the order that they are told in stays.
function kept(facts: readonly Fact[], room: number): readonly Fact[] {
  const chosen = new Set<Fact>()
  let left = room
  for (const fact of facts.toSorted((a, b) => b.worth - a.worth)) {
    const cells = widthOf(fact.words) + (chosen.size > 0 ? 3 : 0)
    if (chosen.size > 0 && cells > left) continue
    chosen.add(fact)
    left -= cells
  }
  return facts.filter((fact) => chosen.has(fact))
}

function placeWords({ session, status }: Tab): string {
  const { directory } = session
  const name = plainLine(directory === homedir() ? '~' : basename(directory))
  if (!status?.git) return name
  const { dirty } = status.git
  const branch = plainLine(status.git.branch ?? 'no branch')
  // A worktree that a fork made is called like its branch.
  return `${branch.endsWith(`/${name}`) ? '' : `${name} `}${branch}${dirty ? '*' : ''}`
}

// Agents that name no price tell tokens: not those that the context has now, but all that were paid for.
const costWords = ({ session: { cost } }: Tab): string => usageWords(cost.own).replace(/tokens$/, 'spent')

function contextWords({ status }: Tab): string {
  if (!status || status.tokens === 0) return ''
  const { tokens, window } = status
  return window === null ? `${tokenWords(tokens)} tokens` : fullnessWords(tokens, window)
}

function forkWords({ place: { fork, watched }, session }: Tab): string {
  if (watched !== null) return 'run'
  if (fork) return 'in a fork'
  if (session.kind === 'branch') return 'branch'
  return session.parentID ? 'fork' : ''
}
