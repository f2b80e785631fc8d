import { ListPanel } from '../panels/list-panel.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'
import { replyables, replyWords } from './reply.ts'

/** What forks have said, to choose what the next message replies to. */
export async function replyList(ui: Ui, tab: Tab): Promise<ListPanel> {
  const found = await replyables(tab)
  return new ListPanel(ui, {
    title: 'Reply to',
    empty: 'No fork has said anything here lately.',
    foot: 'Enter: your next message replies to it · Esc closes',
    items: found.map((each) => ({
      text: replyWords(each),
      does: () => {
        tab.replyTo = each
      },
    })),
  })
}

/** Replies to the newest thing that a fork said. */
export function replyToNewest(tab: Tab, text: string): void {
  const { ui } = tab
  ui.attempt(async () => {
    const typed = `/reply ${text}`
    const [newest] = await tab.talking.orGiveBack(typed, () => replyables(tab))
    if (newest) tab.talking.reply(newest, text)
    else {
      tab.talking.giveBack(typed)
      ui.tell('No fork has said anything here lately; nothing was sent.', 'warning')
    }
  })
}
