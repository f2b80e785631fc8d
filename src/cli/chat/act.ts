import type { PersonsDoing } from '../../bough.ts'
import type { InboxItem } from '../../tree/inbox.ts'
import { plainText } from '../../tree/plain-text.ts'
import type { Turn } from '../../tree/turn.ts'
import { failureOf } from '../failure.ts'
import { Interrupt } from '../interrupt.ts'
import type { Chat } from './chat.ts'
import { frontEndOf } from './front-end.ts'
import { showTurn } from './show-turn.ts'

/**
 * Does something in the channel, and waits until that is done. Ctrl-C interrupts its turn; a signal to end interrupts it and then
 * ends the chat.
 */
export async function act(chat: Chat, what: PersonsDoing): Promise<void> {
  const { context, bough, place, screen, transcript } = chat
  await transcript.catchUp()
  const interrupt = Interrupt.listen()
  const showing = { interrupt, withPrompt: what.kind === 'click' }
  const put = putOff()
  const show = (turn: Turn, item: InboxItem): Promise<void> =>
    put.isOff ? frontEndOf(chat).show(turn, item) : showTurn(chat, turn, showing)
  screen.wait('getting the session ready')
  try {
    const done = bough.say(place.channel.id, what, {
      signal: interrupt.signal,
      show,
      tell: (words) => {
        screen.print(context.out.paint('yellow', plainText(words)))
        // A click for main that has to wait for the end of the fork: nobody could end it while the chat waits for that.
        if (what.kind === 'click' && place.channel.openForkID !== null) put.off()
      },
    })
    await Promise.race([done, put.whenOff])
    if (put.isOff) done.catch((error) => screen.print(failureOf(error, context.env).line))
  } finally {
    screen.ready()
    interrupt.stop()
  }
}

function putOff() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const put = {
    isOff: false,
    whenOff: promise,
    off: (): void => {
      put.isOff = true
      resolve()
    },
  }
  return put
}
