import type { MessageID } from '../../tree/ids.ts'
import type { ActionName } from '../keys/actions.ts'
import type { Tab } from '../tab/tab.ts'
import { enter, notLookingBack, pressEscape, type Step, select, step } from './backtrack.ts'

/** Where a fork of a message begins, and what the person may say again there. */
export interface Beginning {
  readonly messageID: MessageID
  /** One of the person's own messages: the fork begins right before it. */
  readonly before: boolean
  /** The words of that message, to be edited and sent again. */
  readonly text: string | null
}

/** Begins to look back; where there is nothing yet, that is told. */
export function lookBack(tab: Tab): void {
  const { transcript, conversation, ui } = tab
  const now = ui.lastKey
  const begin = (): void => {
    if (!tab.backtrack.on) tab.backtrack = enter(tab.backtrack, transcript.stops, now)
    if (transcript.stops.length === 0) ui.tell('There is nothing to go back to yet.')
  }
  if (transcript.stops.length > 0 || !conversation.hasOlder) {
    begin()
    return
  }
  // A page of nothing but tool steps: what was said before them is further up.
  ui.attempt(async () => {
    while (transcript.stops.length === 0 && conversation.hasOlder) await conversation.loadOlder()
    if (tab.conversation === conversation && mayLookBack(tab)) begin()
  })
}

const mayLookBack = ({ backtrack, conversation, composer }: Tab): boolean =>
  !backtrack.on && !conversation.isRunning && composer.isEmpty

const steps: Readonly<Partial<Record<ActionName, Step>>> = {
  'backtrack.up': 'up',
  'backtrack.down': 'down',
  'backtrack.pageUp': 'pageUp',
  'backtrack.pageDown': 'pageDown',
  'backtrack.first': 'first',
  'backtrack.last': 'last',
  'backtrack.own': 'own',
}

/** Moves the selection, or leaves. What forks is done by whoever knows how. */
export async function move(tab: Tab, name: ActionName): Promise<void> {
  const { conversation, transcript, ui } = tab
  if (name === 'backtrack.leave') return leave(tab)
  // The key was pressed now, however long the messages above take.
  const now = ui.lastKey
  settle(tab)
  if (isTooFarUp(tab, name)) await loadFor(tab, name)
  if (!tab.backtrack.on || tab.conversation !== conversation) return
  const way = steps[name]
  if (name === 'backtrack.back') tab.backtrack = pressEscape(tab.backtrack, transcript.stops, now)
  else if (way) tab.backtrack = step(tab.backtrack, transcript.stops, way)
}

/** Selects what was clicked. */
export function pick(tab: Tab, id: MessageID): void {
  const { backtrack, transcript } = tab
  if (backtrack.on && transcript.stops.some((stop) => stop.id === id)) tab.backtrack = select(backtrack, id)
}

/** Opens or folds the tool steps of the selected message. */
export function toggleSteps(tab: Tab): void {
  if (!tab.backtrack.on) return
  tab.transcript.toggle(tab.backtrack.selected)
  settle(tab)
}

/** A message that is a stop no more, since it was folded, gives way to the nearest stop before it. */
export function settle(tab: Tab): void {
  const { backtrack, transcript, conversation } = tab
  const { stops } = transcript
  if (!backtrack.on || stops.some(({ id }) => id === backtrack.selected)) return
  const { entries } = conversation
  const at = entries.findIndex(({ key }) => key === backtrack.selected)
  const before = new Set(entries.slice(0, at).map(({ key }) => key))
  const nearest = stops.findLast(({ id }) => before.has(id)) ?? stops[0]
  if (nearest) tab.backtrack = select(backtrack, nearest.id)
  else leave(tab)
}

/** Where the fork of the selected message begins. */
export function beginningOf(tab: Tab): Beginning | null {
  const { backtrack, conversation } = tab
  if (!backtrack.on || backtrack.isMoving) return null
  const entry = conversation.entries.find(({ key }) => key === backtrack.selected)
  if (entry?.kind !== 'message') return null
  const { id, role, text } = entry.message
  const before = role === 'user'
  return { messageID: id, before, text: before ? text : null }
}

async function loadFor(tab: Tab, name: ActionName): Promise<void> {
  const isMoving = (isMoving: boolean): void => {
    if (tab.backtrack.on) tab.backtrack = { ...tab.backtrack, isMoving }
  }
  isMoving(true)
  try {
    while (isTooFarUp(tab, name)) await tab.conversation.loadOlder()
  } finally {
    isMoving(false)
  }
}

/** Back to the composer; nothing has changed. */
export function leave(tab: Tab): void {
  tab.backtrack = notLookingBack
}

/** So many stops above the selected one are loaded before it moves up: as many as a page has, and some. */
const ahead = 12

const upwards: readonly ActionName[] = ['backtrack.back', 'backtrack.up', 'backtrack.pageUp']

// Whether what the key leads to may lie above what is loaded.
function isTooFarUp({ backtrack, transcript, conversation }: Tab, name: ActionName): boolean {
  if (!backtrack.on || !conversation.hasOlder) return false
  if (name === 'backtrack.first') return true
  const { stops } = transcript
  const at = stops.findIndex(({ id }) => id === backtrack.selected)
  if (name === 'backtrack.own') return !stops.some(({ isPersons }, i) => isPersons && i < at)
  return upwards.includes(name) && at < ahead
}
