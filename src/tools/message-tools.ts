import * as z from 'zod'
import type { Tool } from '../agents/driver.ts'
import { defineTool } from './define-tool.ts'

export interface Embed {
  readonly title: string
  readonly body: string
  readonly buttons: readonly { readonly label: string; readonly prompt: string }[]
}

/** How the agent of one session reaches the person. */
export interface MessageCaller {
  ping(text: string): Promise<string>
  embed(embed: Embed): Promise<string>
}

const text = (longest: number) => z.string().trim().min(1, 'Say something: the text is empty.').max(longest)

export const messageTools = (caller: MessageCaller): readonly Tool[] => [
  defineTool({
    name: 'ping_user',
    description: 'Send the person a message, in the place where you talk with them. They can reply to it.',
    input: z.object({ text: text(20_000) }),
    call: (input) => caller.ping(input.text),
  }),
  defineTool({
    name: 'send_embed',
    description:
      'Send the person a card with a title, a text and up to five buttons. A click on a button asks you for what its prompt says.',
    input: z.object({
      title: text(256),
      body: text(4_000),
      buttons: z
        .array(z.object({ label: text(80), prompt: text(4_000) }))
        .max(5)
        .default([]),
    }),
    call: (input) => caller.embed(input),
  }),
]
