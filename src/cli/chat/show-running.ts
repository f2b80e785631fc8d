import type { SessionID } from '../../tree/ids.ts'
import type { Turn } from '../../tree/turn.ts'
import type { Chat } from './chat.ts'
import { showOthersTurn } from './front-end.ts'

/**
 * The turn that runs already, in whichever process, where the chat comes to. Asked for before the chat attends the channel:
 * from then on what the turn asks and says is not shown a second time.
 */
export async function findRunning({ bough, elsewhere }: Chat, id: SessionID): Promise<Turn | null> {
  const turn = await bough.follow(id)
  if (turn) elsewhere.shows(turn)
  return turn
}

/** Shows it from its beginning, before anything is typed. The signal lets go of it; it runs on. */
export async function showRunning(chat: Chat, turn: Turn | null, leaving?: AbortSignal): Promise<void> {
  if (!turn || leaving?.aborted) return
  const left = Promise.withResolvers<void>()
  const leave = (): void => left.resolve()
  leaving?.addEventListener('abort', leave)
  await Promise.race([showOthersTurn(chat, turn), left.promise])
  leaving?.removeEventListener('abort', leave)
}
