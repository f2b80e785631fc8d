import { BoughError } from '../../tree/error.ts'
import type { SessionID } from '../../tree/ids.ts'
import { bannerTopic, noEndingWords } from '../../tree/side-fork.ts'
import type { Chat } from './chat.ts'
import { followPlace } from './follow-place.ts'
import { forkBanner } from './outgoing-view.ts'

/** For when the chat comes into a channel: what is typed goes to the fork that is open there, and the person must know. */
export async function tellOpenFork(chat: Chat): Promise<void> {
  const { bough, screen, place, context } = chat
  await followPlace(chat)
  const { openForkID } = place.channel
  const fork = openForkID && (await bough.sideFork(openForkID))
  if (!fork) return
  const { parentID } = await bough.session(fork.sessionID)
  const parent = parentID && (await bough.session(parentID).catch(() => null))
  const topic = parent ? bannerTopic(fork, parent) : fork.topic
  screen.print(forkBanner(topic, true, context.out.paint))
}

/** The fork that is open here; an error where there is none. */
export async function openFork({ bough, place }: Chat): Promise<SessionID> {
  await place.whereTo()
  const { openForkID, mainID } = place.channel
  if (openForkID !== null) return openForkID
  const main = await bough.session(mainID)
  if (main.kind === 'branch') throw new BoughError('bad_input', noEndingWords(main))
  throw new BoughError('bad_input', 'There is no fork open; /fork opens one.')
}
