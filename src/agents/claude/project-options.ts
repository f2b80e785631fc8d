import { realpath } from 'node:fs/promises'
import type { Options } from '@anthropic-ai/claude-agent-sdk'
import type { OpenOptions } from '../driver.ts'
import { promptWithInstructions } from '../project-instructions.ts'
import { copyApproved } from './project-copy.ts'
import { shippedForClaude } from './shipped.ts'

export interface ProjectOptions {
  readonly options: Options
  readonly systemPrompt: string
  /** Files besides the project that the agent reads, also in a sandbox. */
  readonly reads: readonly string[]
  /** Called when Claude has ended. */
  remove(): void
}

/** The person's own settings and our tools: nothing that the project ships, not even servers that their settings approve ahead. */
const untrusted: Options = { settingSources: ['user'], strictMcpConfig: true }

/** How Claude is started for a project: with its approved parts, or with nothing but its instructions as text. */
export async function projectOptions(options: OpenOptions): Promise<ProjectOptions> {
  const { approved, root } = options.project
  if (!approved) {
    const names = ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md']
    return {
      options: untrusted,
      systemPrompt: await promptWithInstructions(options, names),
      reads: [],
      remove: () => {},
    }
  }
  const cwd = await realpath(options.cwd)
  const copy = copyApproved(shippedForClaude(root, cwd), approved, cwd)
  return {
    options: { projectConfigRoot: copy.path },
    systemPrompt: options.systemPrompt,
    reads: [copy.path],
    remove: copy.remove,
  }
}
