import type { SDKSessionInfo } from '@anthropic-ai/claude-agent-sdk'
import { hasCode } from '../../tree/error.ts'
import type { Sdk } from './find-claude.ts'
import { type Entry, lineIn } from './session-entries.ts'

/**
 * What is known of a session without its entries. The SDK finds none in which all that the person said begins with a tag, like
 * `<div>`: that is known by its entries all the same.
 */
export async function sessionInfo(sdk: Sdk, nativeID: string): Promise<SDKSessionInfo | null> {
  const info = await sdk.getSessionInfo(nativeID)
  if (info) return info
  const line = await lineIn(sdk, nativeID).catch((error: unknown) => {
    if (hasCode(error, 'native_missing')) return []
    throw error
  })
  const [first, last] = [line[0], line.at(-1)]
  if (!first || !last) return null
  const size = { fileSize: line.length }
  return { sessionId: nativeID, summary: '', createdAt: timeOf(first), lastModified: timeOf(last), ...size }
}

const timeOf = ({ timestamp = '' }: Entry): number => Date.parse(timestamp) || 0
