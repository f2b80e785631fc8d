import type { SideFork } from '../../tree/side-fork.ts'
import type { ActionName, Scope } from '../keys/actions.ts'
import { ListPanel } from '../panels/list-panel.ts'
import type { Panel } from '../panels/panel.ts'
import type { Frame, Size } from '../screen/frame.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'
import { goOnWith } from './go-on.ts'
import { aboutRun, runWords, waitsForYou } from './run-words.ts'

type Deed = 'list.choose' | 'runs.look' | 'runs.stop'

/** The background runs of a tab's channel, as they go and went: one can be replied to, looked at, and stopped. */
export class RunsPanel implements Panel {
  readonly shape = 'box'
  readonly scopes: readonly Scope[] = ['runs', 'list']
  readonly #ui: Ui
  readonly #tab: Tab
  readonly #list: ListPanel
  #deed: Deed = 'list.choose'

  constructor(ui: Ui, tab: Tab) {
    tab.unseenRuns.see(tab.place)
    const itemOf = (run: SideFork) => ({
      key: run.sessionID,
      text: `${markOf(run, ui)} ${aboutRun(run)}`,
      detail: runWords(run, ui.permissions, ui.now()),
      does: () => this.#do(run),
    })
    this.#ui = ui
    this.#tab = tab
    this.#list = new ListPanel(ui, {
      title: 'Background runs',
      empty: 'There is none. /run <text> starts one.',
      foot: foots.map(({ name, words }) => `${ui.keys.wordsFor(name)} ${words}`).join(' · '),
      isKept: true,
      get items() {
        return tab.place.allRuns.map(itemOf)
      },
    })
  }

  act(name: ActionName): void {
    if (name === 'list.close') this.#ui.close(this)
    else if (name === 'list.choose' || name === 'runs.look' || name === 'runs.stop') {
      this.#deed = name
      this.#list.act('list.choose')
      this.#deed = 'list.choose'
    } else this.#list.act(name)
  }

  type(data: string): void {
    this.#list.type(data)
  }

  wheel(lines: number): void {
    this.#list.wheel(lines)
  }

  draw(room: Size): Frame {
    return this.#list.draw(room)
  }

  /** What ended meanwhile was seen there. */
  closed(): void {
    this.#tab.unseenRuns.see(this.#tab.place)
  }

  #do(run: SideFork): void {
    const { bough } = this.#ui
    if (this.#deed === 'runs.stop') {
      if (run.state === 'ended') this.#ui.tell('That run is over.', 'warning')
      else this.#ui.attempt(() => bough.exit(run.sessionID, { action: 'discard' }))
      return
    }
    this.#ui.close(this)
    if (this.#deed === 'list.choose') this.#ui.attempt(() => goOnWith(this.#tab, run))
    else this.#ui.attempt(async () => this.#ui.openTab(await bough.session(run.sessionID)))
  }
}

function markOf(run: SideFork, { permissions }: Ui): string {
  if (waitsForYou(run, permissions)) return '?'
  return run.state === 'open' ? '●' : ' '
}

const foots: readonly { readonly name: ActionName; readonly words: string }[] = [
  { name: 'list.choose', words: 'replies' },
  { name: 'runs.look', words: 'looks at it' },
  { name: 'runs.stop', words: 'stops it' },
  { name: 'list.close', words: 'closes' },
]
