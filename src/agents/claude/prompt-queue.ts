import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'

/** Prompts for a Claude that goes on listening between turns. */
export class PromptQueue implements AsyncIterable<SDKUserMessage> {
  readonly #waiting: SDKUserMessage[] = []
  #wake: () => void = () => {}
  #ended = false

  push(prompt: SDKUserMessage): void {
    this.#waiting.push(prompt)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage> {
    while (!this.#ended) {
      const next = this.#waiting.shift()
      if (next) yield next
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
