import { randomUUID } from 'node:crypto'
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import { BoughError, messageOf } from '../../tree/error.ts'
import type { Start } from '../driver.ts'
import type { Claude } from './find-claude.ts'
import { missing, saysMissing } from './no-session.ts'

// Claude's own tool can fork a session at its head only: it does not heed `--resume-session-at` unless it prints. And
// `forkSession` of the SDK gives the shared part new ids, so that nobody could tell what both have. So Claude itself, without
// a screen, is given a prompt that has nothing in it and asks for nothing: it writes the fork's file, and no model is asked.

/** Makes the fork as a native session of its own, before anything is said in it. */
export async function forkAhead(
  { sdk, executable }: Claude,
  { nativeID, at }: Extract<Start, { kind: 'fork' }>,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const sessionId = randomUUID()
  const query = sdk.query({
    prompt: nothing(),
    options: {
      cwd,
      env,
      ...(executable !== null && { pathToClaudeCodeExecutable: executable }),
      resume: nativeID,
      forkSession: true,
      resumeSessionAt: at,
      sessionId,
      // Nothing that the person has set up is to run for this.
      settingSources: [],
      strictMcpConfig: true,
    },
  })
  try {
    // To its end: when the process is gone, all is written.
    for await (const message of query)
      if (message.type === 'result' && message.subtype !== 'success')
        throw new Error(message.errors.join('\n'))
  } catch (cause) {
    const words = messageOf(cause)
    if (saysMissing(words)) throw missing(cause)
    throw new BoughError('agent_failed', `Claude could not make the fork. ${words}`, { cause })
  } finally {
    query.close()
  }
  return sessionId
}

async function* nothing(): AsyncGenerator<SDKUserMessage> {
  yield {
    type: 'user',
    message: { role: 'user', content: [] },
    parent_tool_use_id: null,
    shouldQuery: false,
  }
}
