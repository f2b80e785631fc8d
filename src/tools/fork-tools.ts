import * as z from 'zod'
import type { Tool } from '../agents/driver.ts'
import { runFilesModes } from '../tree/files-mode.ts'
import type { ExitAction, RunOptions } from '../tree/side-fork.ts'
import { defineTool } from './define-tool.ts'

/** What the tools about forks do, for the agent of one session. */
export interface ForkCaller {
  enter(wanted: { readonly topic: string | null; readonly idleTimeout: number | null }): Promise<string>
  exit(action: ExitAction, text: string | null): Promise<string>
  run(prompt: string, options: RunOptions): Promise<string>
}

const words = z.string().trim().min(1, 'Say something: the text is empty.').max(100_000)

export const forkTools = (caller: ForkCaller): readonly Tool[] => [
  defineTool({
    name: 'enter_fork',
    description:
      'Open a fork of the main conversation: a side conversation with the person that knows everything said so far. It begins after your turn.',
    input: z.object({
      topic: words.optional().describe('What it is about; it becomes the first message there.'),
      idle_timeout: z
        .int()
        .min(1)
        .max(7 * 24 * 60)
        .optional()
        .describe('Minutes without a word after which you are asked whether it shall end. Usually 10.'),
    }),
    call: ({ topic = null, idle_timeout = null }) => caller.enter({ topic, idleTimeout: idle_timeout }),
  }),
  defineTool({
    name: 'exit_fork',
    description:
      'End the fork that you are in, after your turn. Nothing of it returns to the main conversation.',
    input: z.object({}),
    call: () => caller.exit('discard', null),
  }),
  defineTool({
    name: 'save_context',
    description: 'End the fork that you are in, after your turn: it becomes the main conversation.',
    input: z.object({}),
    call: () => caller.exit('save', null),
  }),
  defineTool({
    name: 'report_updates',
    description:
      'End the fork that you are in, after your turn, and tell the main conversation this message and nothing else. In a background fork the message is noted and you go on.',
    input: z.object({ message: words.describe('What the main conversation should know.') }),
    call: ({ message }) => caller.exit('report', message),
  }),
  defineTool({
    name: 'run_background',
    description:
      'Start a background fork: it knows the main conversation, does what the prompt says, and nobody waits for it. It can ping, report or save.',
    input: z.object({
      prompt: words.describe('What it shall do.'),
      agent: z.string().min(1).optional().describe('Another agent than the one of the main conversation.'),
      model: z.string().min(1).optional(),
      allowed_tools: z
        .array(z.string().min(1))
        .optional()
        .describe('The only tools that it may use: fewer than you may, never more.'),
      timeout: z
        .int()
        .min(1)
        .max(24 * 60)
        .optional()
        .describe('Minutes that it may take. Usually 30.'),
      files: runFiles,
    }),
    call: ({ prompt, agent, model, allowed_tools, timeout, files }) =>
      caller.run(prompt, {
        ...(agent !== undefined && { agent }),
        ...(model !== undefined && { model }),
        ...(allowed_tools !== undefined && { allowedTools: allowed_tools }),
        ...(timeout !== undefined && { timeout }),
        ...(files !== undefined && { files }),
      }),
  }),
]

/** The same text for every session: the list of tools is a part of what the model's prompt cache holds. */
export const runFiles = z
  .enum(runFilesModes)
  .optional()
  .describe(
    'same: in this directory. worktree: in a git worktree of its own. clean: the same, of what is committed only.',
  )
