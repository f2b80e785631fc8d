import type { TUI } from '@earendil-works/pi-tui'
import { slashCommands, submit } from '../commands/slash-commands.ts'
import { completion } from '../completion/completion.ts'
import type { Ui } from '../ui.ts'
import { Composer } from './composer.ts'

/** Makes the composers of tabs: what is said in one can be brought back in all. */
export class Composers {
  readonly #ui: Ui
  readonly #onSaid: ((text: string) => void) | undefined
  #said: readonly string[]

  /** `said` is what was said before, oldest first. */
  constructor(ui: Ui, said: readonly string[], onSaid: ((text: string) => void) | undefined) {
    this.#ui = ui
    this.#said = said
    this.#onSaid = onSaid
  }

  /** One whose words go to the tab that is shown: nobody types into another. */
  create(host: TUI): Composer {
    const ui = this.#ui
    const composer: Composer = new Composer({
      host,
      theme: () => ui.theme,
      submit: (text) => submit(ui.tab, text),
      begun: () => void ui.bough.warm(ui.tab.session.id),
      said: (text) => this.#remember(text, composer),
      takeBack: () => ui.tab.talking.takeBack(),
    })
    for (const text of this.#said) composer.recall(text)
    composer.complete(
      completion({
        commands: slashCommands,
        findFiles: (q, limit) => ui.bough.findFiles(ui.tab.session.id, { q, limit }),
      }),
    )
    return composer
  }

  #remember(text: string, where: Composer): void {
    this.#said = [...this.#said.filter((each) => each !== text), text]
    for (const { composer } of this.#ui.tabs) if (composer !== where) composer.recall(text)
    this.#onSaid?.(text)
  }
}
