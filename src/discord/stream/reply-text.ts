import { callWords } from '../../tree/drawn/tool-words.ts'
import type { MessageID } from '../../tree/ids.ts'
import type { TurnEnd, TurnEvent } from '../../tree/turn.ts'
import { turnEndWords } from '../../tree/turn-end-words.ts'
import { aside, cutTo } from '../views/limits.ts'
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
    return this.#paragraphs().join('\n\n')
  }

  /** What goes on, for under what was said so far. */
  get doing(): string {
    return unfinished(this.#doing === null ? 'writing' : cutTo(this.#doing, longestDoing))
  }

  /** All of it, and how the turn ended where it did not finish. */
  whole({ outcome, reason }: TurnEnd): string {
    const paragraphs = this.#paragraphs()
    if (outcome !== 'finished') paragraphs.push(aside(turnEndWords(outcome, reason)))
    return paragraphs.length > 0 ? paragraphs.join('\n\n') : aside('Done, without words.')
  }

  #paragraphs(): string[] {
    const said = [...this.#said.values()].filter(saysSomething)
    return [...said, ...this.#notices.map(aside)]
  }
}
