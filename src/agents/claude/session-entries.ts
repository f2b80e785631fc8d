import type { SessionMessage, SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk'
import * as z from 'zod/mini'
import type { Sdk } from './find-claude.ts'
import { missing, unreadable } from './no-session.ts'

// Claude's file of a session is a tree of entries. The SDK follows the line in it that Claude would go on from, but only back to
// where it was last compacted, and without all that is noted about them. So the entries are had from the SDK too, as those
// that copy a session elsewhere have them, and it is asked once more for the line before each compaction.

/** An entry of the line, with what Claude noted about it. */
export type Entry = z.infer<typeof entry>

export type Content = NonNullable<Entry['message']>['content']
export type Block = Exclude<Content, string>[number]

// The format is Claude's own affair: what is not as expected is as if it were not there, and the rest of the entry stays.
const maybe = <T extends z.core.SomeType>(schema: T) => z.catch(z.optional(schema), undefined)

/** Of a text, a thought, a call of a tool or its result; others have none of these. */
const block = z.object({
  type: z.string(),
  text: maybe(z.string()),
  thinking: maybe(z.string()),
  id: maybe(z.string()),
  name: maybe(z.string()),
  input: maybe(z.json()),
  tool_use_id: maybe(z.string()),
  is_error: maybe(z.boolean()),
  content: maybe(z.union([z.string(), z.array(z.object({ type: z.string(), text: maybe(z.string()) }))])),
})

const entry = z.object({
  type: z.enum(['user', 'assistant', 'system']),
  uuid: z.string(),
  timestamp: maybe(z.string()),
  message: maybe(
    z.object({
      id: maybe(z.string()),
      model: maybe(z.string()),
      content: z.union([z.string(), z.array(block)]),
      usage: maybe(
        z.object({
          input_tokens: maybe(z.number()),
          output_tokens: maybe(z.number()),
          cache_read_input_tokens: maybe(z.number()),
          cache_creation_input_tokens: maybe(z.number()),
        }),
      ),
    }),
  ),
  /** Of a command that the person typed, and of what it printed. */
  content: maybe(z.string()),
  subtype: maybe(z.string()),
  isCompactSummary: maybe(z.boolean()),
  isApiErrorMessage: maybe(z.boolean()),
  isAbortedMidStream: maybe(z.boolean()),
  forkedFrom: maybe(z.object({ sessionId: z.string(), messageUuid: z.string() })),
})

/** All that the session said on the line that Claude would go on from, oldest first. */
export async function lineIn(sdk: Sdk, nativeID: string): Promise<readonly Entry[]> {
  const stored = await allOf(sdk, nativeID)
  const byID = new Map(stored.map((raw) => [raw.uuid, raw]))
  const line = await wholeLine(sdk, nativeID, stored)
  return line.flatMap((message) => {
    const { data } = entry.safeParse({ ...byID.get(message.uuid), ...message })
    return data ?? []
  })
}

/** The session that this one says it was copied from: its first entry tells. */
export async function originOf(sdk: Sdk, nativeID: string): Promise<string | null> {
  let first: SessionStoreEntry | undefined
  const enough = new Error('that was enough')
  const stop = async (_: unknown, entries: readonly SessionStoreEntry[]) => {
    first = entries.find(({ uuid }) => uuid !== undefined)
    if (first) throw enough
  }
  await copy(sdk, nativeID, stop, 1).catch((error: unknown) => {
    if (error !== enough) throw error
  })
  return entry.shape.forkedFrom.parse(first?.forkedFrom)?.sessionId ?? null
}

async function allOf(sdk: Sdk, nativeID: string): Promise<readonly SessionStoreEntry[]> {
  const all: SessionStoreEntry[] = []
  try {
    await copy(sdk, nativeID, async (_, entries) => void all.push(...entries), 500)
  } catch (cause) {
    // Errors of the file system have a code; the SDK's own is that there is no such file.
    if (!(cause instanceof Error && 'code' in cause) || cause.code === 'ENOENT') throw missing(cause)
    throw unreadable(cause)
  }
  return all
}

// Lines that are no JSON, as the last one of a file that is being written, are left out by the SDK.
const copy = (sdk: Sdk, nativeID: string, append: SessionStore['append'], batchSize: number): Promise<void> =>
  sdk.importSessionToStore(
    nativeID,
    { append, load: async () => null },
    { includeSubagents: false, batchSize },
  )

async function wholeLine(
  sdk: Sdk,
  nativeID: string,
  stored: readonly SessionStoreEntry[],
): Promise<readonly SessionMessage[]> {
  const sessionStore = { append: async () => {}, load: async () => [...stored] }
  const line = await sdk.getSessionMessages(nativeID, { sessionStore, includeSystemMessages: true })
  const boundary = stored.findLastIndex(
    ({ uuid, subtype }) => uuid === line[0]?.uuid && subtype === 'compact_boundary',
  )
  if (boundary < 0) return line
  const before = await wholeLine(sdk, nativeID, stored.slice(0, boundary))
  // Some messages survive a compaction: to Claude they then come after the summary.
  const known = new Set(before.map(({ uuid }) => uuid))
  return [...before, ...line.filter(({ uuid }) => !known.has(uuid))]
}
