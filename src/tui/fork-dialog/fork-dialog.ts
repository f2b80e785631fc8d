import type { Reset, TreeEvent } from '../../tree/event.ts'
import type { Session } from '../../tree/session.ts'
import type { Beginning } from '../backtrack/look-back.ts'
import type { ActionName, Scope } from '../keys/actions.ts'
import { ConfirmPanel } from '../panels/confirm-panel.ts'
import type { Panel } from '../panels/panel.ts'
import type { Frame, Size } from '../screen/frame.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'
import { changeLines } from './change-lines.ts'
import { drawDialog } from './draw-dialog.ts'
import { turnRuns, turnRunsPanel } from './error-panel.ts'
import { type Facts, readFacts, warningsOf } from './facts.ts'
import { preselected } from './file-choices.ts'
import { ForkForm } from './fork-form.ts'
import { known } from './known.ts'
import { NewestAnswer } from './newest-answer.ts'
import { openFork } from './open-fork.ts'
import { forkOptionsOf, pointOf } from './wish.ts'
import { withProgress } from './with-progress.ts'

// form ── Enter ──▶ forking ──▶ gone, the fork in a new tab
//   │                  └── failed, or given up ──▶ form, and what went wrong
//   ├── Enter, with "restore here" ──▶ asked once more ── Enter ──▶ forking
//   └── Esc ──▶ gone
//
// What is shown of the fork is read anew whenever the wish, or the session, changes. Enter waits for that: so nobody forks
// with other facts than those on the screen.

/** Milliseconds after the last change until everything is read anew. */
const calm = 120

/** Asks how to fork what a tab shows, at its end or where the person has looked back to; while a turn runs it says so. */
export const forkDialog = (ui: Ui, tab: Tab, beginning: Beginning | null): Panel =>
  tab.conversation.isRunning ? turnRunsPanel(ui) : new ForkDialog(ui, tab, beginning)

class ForkDialog implements Panel {
  readonly shape = 'box'
  readonly scopes: readonly Scope[] = ['choices', 'form']
  readonly #ui: Ui
  readonly #tab: Tab
  readonly #session: Session
  readonly #beginning: Beginning | null
  readonly #form: ForkForm
  readonly #answers = new NewestAnswer<Facts>((facts) => this.#take(facts))
  #facts: Facts | null = null
  #wrong: string | null = null
  /** Enter was pressed before everything was known. */
  #isWanted = false
  #isBusy = false
  #isGone = false
  #scrolled = 0

  constructor(ui: Ui, tab: Tab, beginning: Beginning | null) {
    this.#ui = ui
    this.#tab = tab
    this.#session = tab.session
    this.#beginning = beginning
    this.#form = new ForkForm(tab.session.agent, () => this.#changed())
    this.#read(0)
    ui.attempt(async () => {
      this.#form.agents = await ui.bough.agents()
    })
  }

  act(name: ActionName): void {
    this.#isWanted = false
    this.#scrolled = 0
    if (name === 'form.close') this.#ui.close(this)
    else if (name === 'form.submit') this.#submit()
    else this.#form.act(name)
    this.#ui.redraw()
  }

  type(data: string): void {
    this.#isWanted = false
    this.#scrolled = 0
    this.#form.type(data)
    this.#ui.redraw()
  }

  wheel(lines: number): void {
    this.#scrolled += lines
    this.#ui.redraw()
  }

  draw(size: Size): Frame {
    const { frame, scrolled } = drawDialog(
      {
        ...{ ui: this.#ui, tab: this.#tab, session: this.#session, beginning: this.#beginning },
        ...{ form: this.#form, facts: this.#facts, wrong: this.#wrongNow, scrolled: this.#scrolled },
        isReading: this.#answers.isAwaited,
        submit: () => this.act('form.submit'),
        close: () => this.act('form.close'),
      },
      size,
    )
    this.#scrolled = scrolled
    return frame
  }

  /** What happens in the session meanwhile counts: a turn that begins or ends, in whichever process. */
  hear(event: TreeEvent | Reset): void {
    const isOwn = event.kind !== 'reset' && event.sessionID === this.#session.id
    if (event.kind === 'reset' || (isOwn && telling.has(event.kind))) this.#read(calm)
  }

  closed(): void {
    this.#isGone = true
    this.#answers.forget()
  }

  get #wrongNow(): string | null {
    const facts = this.#facts
    if (facts?.isRunning) return turnRuns
    if (this.#wrong !== null) return this.#wrong
    if (facts && !facts.status.ok) return facts.status.why
    return facts && !facts.context.ok ? facts.context.why : null
  }

  #changed(): void {
    this.#wrong = null
    this.#read(calm)
  }

  #read(afterMilliseconds: number): void {
    const { bough } = this.#ui
    const question = () => readFacts(bough, this.#session, this.#beginning, this.#form.wish)
    this.#answers.ask(question, afterMilliseconds)
    this.#ui.redraw()
  }

  #take(facts: Facts): void {
    const seen = this.#facts ? warningsOf(this.#facts) : []
    const isNew = warningsOf(facts).some(({ text }) => !seen.some((each) => each.text === text))
    this.#facts = facts
    if (this.#wrong === turnRuns) this.#wrong = null
    this.#form.choices = facts.choices
    this.#form.preselect(preselected(facts.choices))
    // Nobody has read it yet who pressed Enter before it was there.
    if (this.#isWanted && !isNew) this.act('form.submit')
    this.#isWanted = false
    this.#ui.redraw()
  }

  #submit(): void {
    if (this.#isBusy || this.#facts?.isRunning) return
    if (this.#answers.isAwaited) {
      this.#isWanted = true
      return
    }
    const { files } = this.#form.wish
    const obstacle = this.#obstacle()
    if (obstacle !== null) this.#wrong = obstacle
    else if (files === 'restore') this.#once(() => this.#askOnceMore())
    else this.#once(() => this.#fork())
  }

  #obstacle(): string | null {
    const { files } = this.#form.wish
    const choice = this.#facts?.choices.find(({ mode }) => mode === files)
    if (!choice) return 'Choose what the fork does about the files.'
    return choice.obstacle === null ? null : `"${choice.label}" is not possible: ${choice.obstacle}.`
  }

  // One thing at a time. What goes wrong is told here, as long as the dialog is there.
  #once(work: () => Promise<void>): void {
    this.#isBusy = true
    this.#wrong = null
    this.#ui.attempt(async () => {
      const end = await known(work())
      this.#isBusy = false
      if (end.ok) return
      if (this.#isGone) throw new Error(end.why)
      this.#wrong = end.why
    })
  }

  async #askOnceMore(): Promise<void> {
    const { bough } = this.#ui
    const { id, directory } = this.#session
    const { files } = await bough.previewFork(id, { ...pointOf(this.#beginning), files: 'restore' })
    if (this.#isGone) return
    this.#ui.open(
      new ConfirmPanel(this.#ui, {
        title: 'Restore here',
        question: `The files in ${directory} are put back to that message. They are saved first: /undo takes it back.`,
        lines: (columns) => changeLines(files, columns, this.#ui.theme.paint),
        yes: 'Restore and fork',
        does: () => this.#once(() => this.#fork()),
      }),
    )
  }

  async #fork(): Promise<void> {
    const { bough } = this.#ui
    const { id } = this.#session
    const options = forkOptionsOf(this.#session, this.#beginning, this.#form.wish)
    const forked = await withProgress(this.#ui, async ({ signal, onSetUp }) => {
      if ((await bough.session(id)).state === 'running') throw new Error(turnRuns)
      signal.throwIfAborted()
      return bough.fork(id, { ...options, signal, onSetUp })
    })
    if (!forked) throw new Error('Given up: no fork was made.')
    this.#ui.close(this)
    await openFork(this.#ui, this.#tab, forked, this.#beginning?.text ?? null)
  }
}

const telling: ReadonlySet<TreeEvent['kind']> = new Set([
  'turn.started',
  'turn.ended',
  'message.added',
  'session.deleted',
])
