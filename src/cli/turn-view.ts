import { toolName } from '../tree/drawn/tool-words.ts'
import type { MessageID } from '../tree/ids.ts'
import type { Message } from '../tree/message.ts'
import { plainText } from '../tree/plain-text.ts'
import { speakerOf } from '../tree/speaker.ts'
import type { TurnEvent } from '../tree/turn.ts'
import { showMessageID } from './message-view.ts'
import type { Output } from './output.ts'
import { Progress } from './progress.ts'
import { showCall, showResult } from './tool-line.ts'

export interface TurnViewOptions {
  /** Where the agent's words go. */
  readonly text: Output
  /** Where goes what it does and thinks. */
  readonly notes: Output
  /** Where a status goes while nothing else happens. */
  readonly status: Output
  /** Whether each message of the agent is followed by its id. */
  readonly ids: boolean
}

const working = 'the agent works'

/** Shows a turn while it runs. Words and notes may share a terminal, so each begins on a line of its own. */
export class TurnView {
  readonly #options: TurnViewOptions
  readonly #streamed = new Set<MessageID>()
  #midLine = false
  #asides: (() => void)[] = []
  #label = working
  #progress: Progress | null

  constructor(options: TurnViewOptions) {
    this.#options = options
    this.#progress = new Progress(options.status, this.#label)
  }

  show(event: TurnEvent): void {
    this.#quiet()
    this.#write(event)
    this.#writeAsides()
    this.#wait(event)
  }

  /** Something else is to be shown: now, or at the end of the line that is being written. */
  aside(write: () => void): void {
    this.#asides.push(write)
    this.#writeAsides()
  }

  /** Nothing more comes. */
  close(): void {
    this.#quiet()
    this.#endLine()
    this.#writeAsides()
  }

  #writeAsides(): void {
    if (this.#midLine || this.#asides.length === 0) return
    const waited = this.#progress !== null
    this.#quiet()
    for (const write of this.#asides.splice(0)) write()
    if (waited) this.#progress = new Progress(this.#options.status, this.#label)
  }

  #write(event: TurnEvent): void {
    switch (event.type) {
      case 'text':
        this.#streamed.add(event.messageID)
        this.#say(event.text)
        break
      case 'reasoning':
        break
      case 'tool-call':
        this.#note(showCall(event.call, this.#options.notes.paint))
        break
      case 'tool-result':
        this.#note(showResult(event.result, this.#options.notes.paint))
        break
      case 'message':
        this.#finish(event.message)
        break
      case 'notice':
        this.#notice(event.text)
        break
      case 'permission':
      case 'ended':
        this.#endLine()
        break
    }
  }

  // A status has its own line: there is none while a line is being written, nor over a question.
  #wait(event: TurnEvent): void {
    if (this.#midLine || event.type === 'permission' || event.type === 'ended') return
    this.#label = event.type === 'tool-call' ? `running ${toolName(event.call.name)}` : working
    this.#progress = new Progress(this.#options.status, this.#label)
  }

  // Most messages were streamed; one that was not is shown when it is there.
  #finish(message: Message): void {
    if (message.role === 'user' || message.role === 'tool' || tellsTheEnd(message)) return
    if (!this.#streamed.has(message.id) && message.text !== '') {
      if (message.role === 'assistant') this.#say(message.text)
      else this.#note(`${speakerOf(message)}: ${plainText(message.text)}`)
    }
    for (const part of message.parts) if (part.type === 'notice') this.#notice(part.text)
    this.#endLine()
    if (this.#options.ids) this.#note(showMessageID(message, this.#options.notes.paint))
  }

  #say(text: string): void {
    const plain = plainText(text)
    if (plain === '') return
    this.#options.text.write(plain)
    this.#midLine = !plain.endsWith('\n')
  }

  #notice(text: string): void {
    this.#note(this.#options.notes.paint('yellow', `bough: ${plainText(text)}`))
  }

  #note(line: string): void {
    this.#endLine()
    this.#options.notes.line(line)
  }

  #endLine(): void {
    if (this.#midLine) this.#options.text.line()
    this.#midLine = false
  }

  #quiet(): void {
    this.#progress?.stop()
    this.#progress = null
  }
}

// The end of the turn says why it failed or was interrupted: once is enough.
const tellsTheEnd = ({ role, status }: Message): boolean => role !== 'assistant' && status !== 'complete'
