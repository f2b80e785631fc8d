import { ageWords } from '../../tree/age-words.ts'
import type { UpdateID } from '../../tree/ids.ts'
import { plainLine, plainText } from '../../tree/plain-text.ts'
import { ListPanel } from '../panels/list-panel.ts'
import { ReadingPanel } from '../panels/reading-panel.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'

/** What forks reported and main has not been told, oldest first: each can be read, and all can be forgotten. */
export function updatesPanel(ui: Ui, tab: Tab): ListPanel {
  return new ListPanel(ui, {
    title: 'Pending updates',
    empty: 'No fork has reported anything that main is not told yet.',
    foot: 'main is told with its next message · Enter reads · Esc closes',
    get items() {
      const { updates } = tab.place
      const all = updates.map(({ id, text, created }) => ({
        key: id,
        text: plainLine(text),
        detail: ageWords(created, ui.now()),
        does: () => ui.open(reading(ui, text)),
      }))
      const clear = { key: 'all', text: 'Forget all of them …', does: () => ui.open(clearPanel(ui, tab)) }
      return updates.length === 0 ? [] : [...all, clear]
    },
  })
}

/** Asks once more before updates are forgotten. */
export function clearPanel(ui: Ui, tab: Tab): ListPanel {
  const { updates } = tab.place
  const last = updates.at(-1)
  const words = updates.length === 1 ? 'Forget 1 update' : `Forget ${updates.length} updates`
  return new ListPanel(ui, {
    title: 'Forget the pending updates?',
    empty: 'There is none.',
    items:
      last === undefined
        ? []
        : [
            { text: 'Keep them', does: () => {} },
            { text: `${words}: main is never told`, does: () => clearUpdates(ui, tab, last.id) },
          ],
  })
}

/** Forgets what waits for main in a tab's channel, as far as the person has seen it. */
function clearUpdates(ui: Ui, tab: Tab, upTo: UpdateID): void {
  ui.attempt(async () => {
    const count = await ui.bough.clearUpdates({ channelID: tab.place.channel.id, upTo })
    // Nothing tells of it.
    tab.refresh()
    ui.tell(count === 1 ? '1 update was forgotten.' : `${count} updates were forgotten.`)
  })
}

const reading = (ui: Ui, text: string): ReadingPanel =>
  new ReadingPanel(ui, { title: 'Update', lines: (columns) => wrapped(plainText(text), columns) })
