import { messageParts, toldAndWords, wishIn } from '../../tree/prompts.ts'
import { noUsage, type Usage } from '../../tree/usage.ts'
import type { AgentEvent } from '../driver.ts'
import { type Instruction, parsePrompt, type Step } from './instructions.ts'
import type { Sleep } from './interruptible.ts'
import type { Memory } from './memory.ts'
import { composeReply, type Deed, nameOf } from './reply.ts'
import { callOf, type Outcome } from './steps.ts'
import { countWords, inPieces, wordsInSequence } from './words.ts'

export interface TurnOptions {
  readonly prompt: string
  readonly memory: Memory
  readonly pace: number
  readonly sleep: Sleep
  readonly signal: AbortSignal
  takeStep(step: Step, callID: string): Promise<Outcome>
}

/** One turn: the instructions in their order, then the answer. It throws when the signal aborts. */
export class Turn {
  readonly #options: TurnOptions
  readonly #deeds: Deed[] = []
  #calls = 0
  #wordsSaid = 0
  /** Whether the message that streams has words already. */
  #speaking = false

  constructor(options: TurnOptions) {
    this.#options = options
  }

  async *events(): AsyncGenerator<AgentEvent> {
    const { prompt, memory } = this.#options
    const { told, words: said } = toldAndWords(prompt)
    const words = said === '' ? wishIn(messageParts(prompt)).replace(/^\[button\] /, '') : said
    const { instructions, remarks } = parsePrompt(words)
    memory.hear(words)
    for (const instruction of instructions) {
      if (instruction.kind === 'fail') {
        yield { type: 'error', message: instruction.message }
        return
      }
      yield* this.#follow(instruction)
    }
    const { turn, toldBefore } = memory
    yield* this.#say(inPieces(composeReply({ turn, deeds: this.#deeds, told, remarks, toldBefore })))
    yield { type: 'message-finished', usage: this.#usage() }
    yield { type: 'turn-finished', reason: 'done' }
  }

  async *#follow(instruction: Exclude<Instruction, { kind: 'fail' }>): AsyncGenerator<AgentEvent> {
    let failure: string | null = null
    switch (instruction.kind) {
      case 'malformed':
        failure = `not done: ${instruction.problem}`
        break
      case 'sleep':
        await this.#options.sleep(instruction.seconds * 1000, this.#options.signal)
        break
      case 'words':
        yield* this.#say(wordsInSequence(instruction.count))
        break
      default:
        failure = yield* this.#step(instruction)
    }
    this.#deeds.push({ what: nameOf(instruction), failure })
  }

  async *#step(step: Step): AsyncGenerator<AgentEvent, string | null> {
    const { memory, takeStep } = this.#options
    const { name, args } = callOf(step)
    this.#calls += 1
    const callID = `call_${memory.turn}_${this.#calls}`

    yield { type: 'tool-call', callID, name, args }
    yield { type: 'message-finished' }
    this.#speaking = false
    const { output, exitCode, failure } = await takeStep(step, callID)
    memory.keep(output)
    yield { type: 'tool-result', callID, name, output, exitCode }
    yield { type: 'message-finished' }
    return failure
  }

  async *#say(pieces: Iterable<string>): AsyncGenerator<AgentEvent> {
    const { memory, pace, sleep, signal } = this.#options
    let text = this.#speaking ? '\n\n' : ''
    for (const piece of pieces) {
      if (this.#speaking) await sleep(pace, signal)
      text += piece
      this.#wordsSaid += countWords(piece)
      memory.keep(piece)
      this.#speaking = true
      yield { type: 'text', text }
      text = ''
    }
  }

  #usage(): Usage {
    const outputTokens = this.#wordsSaid
    return { ...noUsage, inputTokens: this.#options.memory.words - outputTokens, outputTokens }
  }
}
