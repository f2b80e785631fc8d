import type { Bough } from '../bough.ts'
import { BoughError } from '../tree/error.ts'
import type { ChannelID, SessionID } from '../tree/ids.ts'
import { putBackWords } from '../tree/side-fork.ts'
import type { Click } from './port.ts'

/** Puts back the files of an ended fork. Where that is refused, the button stays: the person may mend what is in the way. */
export async function putBackFiles(
  bough: Bough,
  channelID: ChannelID,
  forkID: SessionID,
  click: Click,
): Promise<void> {
  const fork = await bough.sideFork(forkID)
  if (fork?.channelID !== channelID) throw new BoughError('not_found', 'That button does nothing any more.')
  const restored = await bough.putBack(forkID)
  await click.tell(putBackWords(restored))
  await click.switchOff()
}
