import type { SessionID } from '../../tree/ids.ts'
import { lastEnded, putBackWords } from '../../tree/side-fork.ts'
import { hereWords } from '../commands/here-words.ts'
import type { Tab } from '../tab/tab.ts'

const looksAt = 50

/** Puts the files of an ended fork back: of the one that is named, or of the one that ended last in the tab's channel. */
export async function putBack({ ui, place }: Tab, named?: SessionID): Promise<void> {
  const { bough } = ui
  const ended = { channelID: place.channel.id, state: 'ended', limit: looksAt } as const
  const forkID = named ?? lastEnded(await bough.sideForks(ended))?.sessionID
  if (forkID) ui.tell(hereWords(putBackWords(await bough.putBack(forkID))))
  else ui.tell('No fork has ended here yet.', 'warning')
}
