import { callWords } from '../../tree/drawn/tool-words.ts'
import type { MessageID } from '../../tree/ids.ts'
import type { TurnEnd, TurnEvent } from '../../tree/turn.ts'
import { turnEndWords } from '../../tree/turn-end-words.ts'
import { aside, cutTo } from '../views/limits.ts'
import { closed } from './code-fence.ts'
import { saysSomething } from './split.ts'
import { unfinished } from './unfinished.ts'

const longestDoing = 100

/** What an agent says in a turn, as it comes. */
export class ReplyText {
  /** By message, so that one that is finished takes the place of its pieces. */
  readonly #said = new Map<MessageID, string>()
  readonly #notices: string[] = []
  #doing: string | null = null

  take(event: TurnEvent): void {
    switch (event.type) {
      case 'text':
        this.#doing = null
        this.#said.set(event.messageID, (this.#said.get(event.messageID) ?? '') + event.text)
        break
      case 'message':
        if (event.message.role === 'assistant') this.#said.set(event.message.id, event.message.text)
        break
      case 'tool-call':
        this.#doing = callWords(event.call)
        break
      case 'tool-result':
        this.#doing = null
        break
      case 'notice':
        this.#notices.push(event.text)
        break
      case 'reasoning':
      case 'permission':
      case 'ended':
        break
    }
  }

  get soFar(): string {
    return this.#with([])
  }

  /** What goes on, for under what was said so far. */
  get doing(): string {
    return unfinished(this.#doing === null ? 'writing' : cutTo(this.#doing, longestDoing))
  }

  /** All of it, and how the turn ended where it did not finish. */
  whole({ outcome, reason }: TurnEnd): string {
    const end = outcome === 'finished' ? [] : [turnEndWords(outcome, reason)]
    return this.#with(end) || aside('Done, without words.')
  }

  /** What was said, and under it words of bough's own: also where the agent was stopped in a block of code. */
  #with(last: readonly string[]): string {
    const said = [...this.#said.values()].filter(saysSomething).join('\n\n')
    const asides = [...this.#notices, ...last].map(aside)
    if (asides.length === 0) return said
    return [closed(said), ...asides].filter((text) => text !== '').join('\n\n')
  }
}
