import { shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import { forkTitle } from '../../tree/title.ts'
import type { Beginning } from '../backtrack/look-back.ts'
import { cut } from '../screen/frame.ts'
import type { Tone } from '../screen/theme.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'
import { factRows } from './fact-rows.ts'
import type { Facts } from './facts.ts'
import type { FileChoice } from './file-choices.ts'
import type { ForkForm } from './fork-form.ts'
import { forkPointWords } from './fork-point-words.ts'
import { labelled, labelOf, painted, type Row, said } from './row.ts'

/** All that is seen of a fork dialog. */
export interface DialogView {
  readonly ui: Ui
  readonly tab: Tab
  readonly session: Session
  readonly beginning: Beginning | null
  readonly form: ForkForm
  /** Null until they are known. */
  readonly facts: Facts | null
  /** They are being read anew. */
  readonly isReading: boolean
  readonly wrong: string | null
  /** How far the person has scrolled from the field that they are in. */
  readonly scrolled: number
  submit(): void
  close(): void
}

/** So much of a title is enough to know it by. */
const longestTitle = 40

/** What stands in the dialog, in lines of at most so many cells. */
export const dialogRows = (view: DialogView, room: number): readonly Row[] => [
  ...aboutRows(view, room),
  ...factRows(view, room),
  ...filesRows(view, room),
]

function aboutRows(view: DialogView, room: number): readonly Row[] {
  const { ui, session, form } = view
  const { agent } = form.wish
  const { paint } = ui.theme
  const space = room - labelled
  const typed = (field: 'model' | 'title', label: string, instead: string): Row => ({
    text:
      labelOf(label, form.focus === field) + form[field].draw(space, paint, form.focus === field, instead),
    isFocus: form.focus === field,
    does: () => {
      form.focus = field
      ui.redraw()
    },
  })
  const ownModel =
    agent === session.agent && session.model !== null ? plainLine(session.model) : "the agent's own"
  return [
    ...said('Session', `${cut(plainLine(session.title), longestTitle)} · ${shortID(session.id)}`, room),
    ...said('From', forkPointWords(view), room),
    ...agentRows(view, room),
    typed('model', 'Model', ownModel),
    typed('title', 'Title', plainLine(forkTitle(session.title))),
  ]
}

function agentRows({ ui, form }: DialogView, room: number): readonly Row[] {
  const { paint } = ui.theme
  const { agent } = form.wish
  const found = form.agents.find(({ name }) => name === agent)
  const isFocus = form.focus === 'agent'
  const others = form.agents.length - 1
  const more = others > 0 ? paint('dim', `  ← → ${others} more`) : ''
  const name = others > 0 ? `‹ ${plainLine(agent)} ›` : plainLine(agent)
  const does = (): void => {
    form.turnAgent(1)
    ui.redraw()
  }
  const first = {
    text: cut(labelOf('Agent', isFocus) + paint(isFocus ? 'accent' : 'plain', name) + more, room),
  }
  if (!found || found.ready) return [{ ...first, isFocus, does }]
  const doubt = found.installed && !found.certain ? 'It may not be ready' : 'It cannot be used'
  const lack = `${doubt}: ${found.detail}${found.fix ? ` (${found.fix})` : ''}`
  return [{ ...first, isFocus, does }, ...painted(ui, 'warning', lack, room)]
}

function filesRows(shown: DialogView, room: number): readonly Row[] {
  const { facts, form, ui } = shown
  if (!facts) return said('Files', '…', room)
  const chosen = facts.choices.find(({ mode }) => mode === form.wish.files)
  return [
    ...facts.choices.flatMap((choice, i) => choiceRows(shown, choice, i === 0 ? 'Files' : '', room)),
    ...(chosen?.notes ?? []).flatMap((note) => painted(ui, 'dim', note, room)),
  ]
}

function choiceRows(
  { ui, form }: DialogView,
  { mode, label, obstacle }: FileChoice,
  heading: string,
  room: number,
): readonly Row[] {
  const { paint } = ui.theme
  const isChosen = form.wish.files === mode
  const isFocus = isChosen && form.focus === 'files'
  const tone: Tone = obstacle !== null ? 'dim' : isFocus ? 'accent' : 'plain'
  const mark = obstacle !== null ? '✗' : isChosen ? '●' : '○'
  const words = obstacle === null ? label : `${label}: not possible, ${obstacle}`
  const does = (): void => {
    form.choose(mode)
    ui.redraw()
  }
  return wrapped(plainLine(words), room - labelled - 2).map((line, i) => ({
    text: `${labelOf(i === 0 ? heading : '', isFocus && i === 0)}${paint(tone, `${i === 0 ? mark : ' '} ${line}`)}`,
    isFocus,
    does,
  }))
}
