import type { InquiryID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { ListPanel } from '../panels/list-panel.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'
import { buttonsOf } from './cards.ts'

interface Button {
  readonly label: string
  /** Of the card that it is on. */
  readonly title: string
  readonly inquiryID: InquiryID
}

/** The buttons that agents sent here and nobody has clicked, those of the newest card first. */
export const buttonList = (ui: Ui, tab: Tab): ListPanel =>
  new ListPanel(ui, {
    title: 'Buttons',
    empty: 'No agent has sent a button here lately.',
    items: buttonsIn(tab).map(({ label, title, inquiryID }) => ({
      text: label,
      detail: title,
      does: () => tab.talking.say({ kind: 'click', inquiryID }),
    })),
  })

/** Clicks a button of the newest card that has some, by its number there. */
export function clickButton(tab: Tab, typed: string): void {
  const { ui } = tab
  const card = tab.cards.findLast((each) => buttonsOf(each).length > 0)
  const buttons = card ? buttonsOf(card) : []
  const button = /^\d+$/.test(typed) ? buttons[Number(typed) - 1] : undefined
  const there = buttons.map(({ label }, i) => `${i + 1} ${plainLine(label)}`).join(', ')
  if (button) tab.talking.say({ kind: 'click', inquiryID: button.inquiryID })
  else if (there === '') ui.tell('No agent has sent a button here lately.', 'warning')
  else ui.tell(`There is no button "${plainLine(typed)}". There are: ${there}.`, 'warning')
}

const buttonsIn = ({ cards }: Tab): readonly Button[] =>
  cards.toReversed().flatMap(({ what, used }) =>
    what.kind === 'embed'
      ? what.buttons
          .filter(({ inquiryID }) => !used.includes(inquiryID))
          .map(({ label, inquiryID }) => ({
            inquiryID,
            label: plainLine(label),
            title: plainLine(what.title),
          }))
      : [],
  )
