import { expect, onTestFinished } from 'vitest'
import type { Driver } from '../../../src/agents/driver.ts'
import { createOfflineDriver } from '../../../src/agents/offline/offline.ts'
import { tool } from '../../../src/forks/side/testing/ground.ts'
import type { Json, Message } from '../../../src/tree/message.ts'
import { channelClaude } from '../comeback.ts'
import { says } from '../scripted-agent.ts'

/** An agent for a whole day, which can be asked what it was told. */
export interface DayAgent {
  readonly name: string
  readonly driver: Driver
  /** What it says, or does, to a prompt in which the key stands. */
  readonly answers: Map<string, string>
  /** Words that make it say so many words, slowly. */
  slow(words: number): string
  /** Words that make it call one of bough's tools. */
  call(name: string, args?: Json): string
  /** The beginning of what it answers to other words. */
  answerTo(words: string): string
  /** Every prompt that it knew when it was asked last, oldest first, each with what bough put before it. */
  told(): readonly string[]
}

/** What proves it: the line that the agent was given, and what came after. */
export async function offlineDay(): Promise<DayAgent> {
  const inner = createOfflineDriver({ pace: 5 })
  const answers = new Map<string, string>()
  let newest: readonly string[] = []
  const driver: Driver = {
    ...inner,
    async open(options) {
      const told = (await options.history()).filter(({ role }) => role === 'user').map(promptOf)
      const connection = await inner.open(options)
      return {
        close: () => connection.close(),
        send(prompt, signal) {
          told.push(prompt)
          newest = [...told]
          const [, answer] = [...answers].find(([key]) => prompt.includes(key)) ?? []
          if (answer === undefined || answer.startsWith('tool '))
            return connection.send(answer ?? prompt, signal)
          return says(...(answer.match(/.{1,200}/gs) ?? []))
        },
      }
    },
  }
  return {
    name: 'offline',
    driver,
    answers,
    slow: (words) => `words ${words}`,
    call: tool,
    answerTo: (words) => `You just told me: “${words}”`,
    told: () => newest,
  }
}

/** What proves it: the requests that the model's API got. */
export async function claudeDay(): Promise<DayAgent> {
  const answers = new Map<string, string>()
  const { driver, heard, outside } = await channelClaude(answers)
  onTestFinished(() => {
    expect(outside()).toEqual([])
    // So the model's cache holds for what main and its forks share.
    expect(new Set(heard().map(({ system, tools }) => system + tools)).size).toBe(1)
  })
  return {
    name: 'claude',
    driver,
    answers,
    slow: (words) => `slow ${words}`,
    call: (name, args = {}) => `use ${name} ${JSON.stringify(args)}`,
    answerTo: (words) => `heard: ${words}`,
    told: () =>
      (heard().at(-1)?.said ?? []).flatMap((line) => /^user: (?!<tool_result)(.*)$/s.exec(line)?.[1] ?? []),
  }
}

const promptOf = ({ parts }: Message): string =>
  parts.flatMap((part) => (part.type === 'context' || part.type === 'text' ? part.text : [])).join('\n\n')
