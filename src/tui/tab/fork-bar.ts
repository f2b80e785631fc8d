import { plainLine } from '../../tree/plain-text.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import type { ActionName } from '../keys/actions.ts'
import { type Area, cut, emptyFrame, type Frame, widthOf } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import { aboutRun, runWords } from '../side-forks/run-words.ts'
import type { Tab } from './tab.ts'

interface Button {
  readonly action: ActionName
  readonly label: string
}

const exits: readonly Button[] = [
  { action: 'fork.save', label: 'Save' },
  { action: 'fork.report', label: 'Report' },
  { action: 'fork.discard', label: 'Exit' },
]

const stop: readonly Button[] = [{ action: 'fork.discard', label: 'Stop' }]

/** So much of the topic is worth more than the keys. */
const leastTopic = 16
/** So much is worth more than the time. */
const leastOfAll = 8

/**
 * The bar of an open interactive fork: its topic, the time until the agent is asked about it, and how it can end. Of a run that is
 * looked at: what it does.
 */
export function forkBar(tab: Tab, columns: number, { paint }: Theme): Frame {
  const { place, ui } = tab
  if (place.watched !== null) {
    const run = place.allRuns.find(({ sessionID }) => sessionID === place.watched)
    const state = run ? ` · ${runWords(run, ui.permissions, ui.now())}` : ''
    const words = [`${state} · type to go on with it`, state, '']
    const text = ` run: ${run ? aboutRun(run) : ''}`
    return bar(tab, text, words, run?.state === 'open' ? stop : [], columns, paint)
  }
  const { fork } = place
  if (!fork) return emptyFrame
  const topic = ` └ ${plainLine(fork.topic ?? 'open session')}`
  return bar(tab, topic, idleWords(fork, tab), exits, columns, paint)
}

// Where there is little room, the keys go first, then the time, then the end of the topic; the actions stay.
function bar(
  { ui }: Tab,
  topic: string,
  /** The longest that there is room for. */
  words: readonly string[],
  buttons: readonly Button[],
  columns: number,
  paint: Theme['paint'],
): Frame {
  const withKeys = buttons.map(({ action, label }) => ({
    action,
    text: ` ${`${label} ${ui.keys.wordsFor(action)}`.trim()} `,
  }))
  const short = buttons.map(({ action, label }) => ({ action, text: ` ${label} ` }))
  const long = widthOf(words[0] ?? '')
  const hasRoom = (labels: Labels): boolean =>
    roomFor(labels, columns) >= Math.min(widthOf(topic), leastTopic) + long
  const labels = hasRoom(withKeys) ? withKeys : short
  const room = roomFor(labels, columns)
  const kept = words.find((each) => widthOf(each) + Math.min(widthOf(topic), leastOfAll) <= room) ?? ''
  const left = cut(topic, room - widthOf(kept)) + kept
  const gap = ' '.repeat(Math.max(1, columns - widthOf(left) - widthOfAll(labels)))
  const areas: Area[] = []
  let from = widthOf(left) + gap.length
  for (const { action, text } of labels) {
    areas.push({ row: 0, from, to: from + widthOf(text), does: () => ui.perform(action) })
    from += widthOf(text) + 1
  }
  const line = left + gap + labels.map(({ text }) => text).join('│')
  return { lines: [paint('fork', cut(line, columns))], areas }
}

type Labels = readonly { readonly text: string }[]

const widthOfAll = (labels: Labels): number => widthOf(labels.map(({ text }) => text).join('│'))

const roomFor = (labels: Labels, columns: number): number => columns - widthOfAll(labels) - 1

function idleWords(
  { idleTimeout, lastActivity, promptedAt }: SideFork,
  { conversation, ui }: Tab,
): readonly string[] {
  // A turn that runs is activity.
  if (conversation.isRunning) return ['']
  const limit = idleTimeout * 60_000
  const left = Math.min(limit, (promptedAt ?? lastActivity) + limit - ui.now())
  const does = promptedAt === null ? 'asks' : 'ends'
  // Where the store is another machine's, its clock may be ahead.
  const minutes = Math.min(idleTimeout, Math.ceil(left / 60_000))
  return left <= 0 ? [` · ${does} soon`, ''] : [` · ${does} in ${minutes} min`, ` · ${minutes}m`, '']
}
