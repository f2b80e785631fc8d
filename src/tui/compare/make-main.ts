import type { Channel } from '../../tree/channel.ts'
import { shortID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'
import type { ActionName } from '../keys/actions.ts'
import { ConfirmPanel } from '../panels/confirm-panel.ts'
import { ends } from '../screen/frame.ts'
import { wrapped } from '../screen/wrap.ts'
import { shortPath } from '../session-tree/short-path.ts'
import type { Ui } from '../ui.ts'
import { sessionName } from './session-name.ts'

/** So much of a name is enough to know it by. */
const mostName = 32

/** Asks whether a session is to be the main of the shown tab, makes it that, and tells how that is undone. */
export function makeMain(ui: Ui, session: Session, made: () => void): void {
  const { tab, bough } = ui
  const { channel } = tab.place
  if (channel.mainID === session.id) {
    ui.tell(`${sessionName(session)} is main here already.`)
    return
  }
  const number = ui.tabs.indexOf(tab) + 1
  ui.openSoon('compare.main', async () => {
    const before = await bough.session(channel.mainID)
    return new ConfirmPanel(ui, {
      title: `Make it the main of tab ${number}?`,
      question: `What you say in tab ${number} goes to ${sessionName(session)} from then on.`,
      lines: (room) => questionLines(channel, before, session, room),
      yes: 'Make it main',
      does: () =>
        ui.attempt(async () => {
          await bough.promote(channel.id, session.id)
          made()
          ui.tell(doneWords(ui, before, session))
        }),
    })
  })
}

const questionLines = (
  { id }: Channel,
  before: Session,
  session: Session,
  room: number,
): readonly string[] => [
  '',
  ends(`From  ${sessionName(before)}`, ` ${shortID(before.id)}`, room),
  `      ${shortPath(before.directory, room - 6)}`,
  ends(`To    ${sessionName(session)}`, ` ${shortID(session.id)}`, room),
  `      ${shortPath(session.directory, room - 6)}`,
  ...wrapped(`Channel ${shortID(id)}. The first one stays a session like any other.`, room),
]

function doneWords({ keys }: Ui, before: Session, session: Session): string {
  const key = (name: ActionName): string => keys.wordsFor(name)
  const back = `${key('tree.open')}, ${key('tree.compare')} on that one, ${key('compare.main')} puts it back.`
  return `Main is now ${sessionName(session, mostName)}. It was ${sessionName(before, mostName)}: ${back}`
}
