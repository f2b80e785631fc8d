import * as z from 'zod/mini'

// The few fields of the app-server's protocol that are used here. `codex app-server generate-ts --out DIR` writes all of it.

const change = z.object({
  path: z.string(),
  kind: z.object({ type: z.string(), move_path: z.nullish(z.string()) }),
  diff: z.string(),
})

const userInput = z.object({
  type: z.string(),
  text: z.nullish(z.string()),
  path: z.nullish(z.string()),
  url: z.nullish(z.string()),
})

const item = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('userMessage'),
    id: z.string(),
    content: z._default(z.array(userInput), []),
  }),
  z.object({ type: z.literal('agentMessage'), id: z.string(), text: z.string() }),
  z.object({ type: z.literal('plan'), id: z.string(), text: z.string() }),
  z.object({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(z.string()),
    content: z.array(z.string()),
  }),
  z.object({
    type: z.literal('commandExecution'),
    id: z.string(),
    command: z.string(),
    status: z.string(),
    aggregatedOutput: z.nullish(z.string()),
    exitCode: z.nullish(z.number()),
  }),
  z.object({
    type: z.literal('fileChange'),
    id: z.string(),
    changes: z.array(change),
    status: z.string(),
  }),
  z.object({
    type: z.literal('mcpToolCall'),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    status: z.string(),
    arguments: z.json(),
    result: z.nullish(z.object({ content: z.array(z.json()) })),
    error: z.nullish(z.object({ message: z.string() })),
  }),
  z.object({ type: z.literal('webSearch'), id: z.string(), query: z.string() }),
  z.object({ type: z.literal('imageView'), id: z.string(), path: z.string() }),
  z.object({
    type: z.literal('collabAgentToolCall'),
    id: z.string(),
    tool: z.string(),
    status: z.string(),
    prompt: z.nullish(z.string()),
    receiverThreadIds: z.array(z.string()),
  }),
  z.object({ type: z.literal('subAgentActivity'), id: z.string(), agentThreadId: z.string() }),
  z.object({ type: z.literal('contextCompaction'), id: z.string() }),
])

const turnError = z.object({
  message: z.string(),
  codexErrorInfo: z.optional(z.unknown()),
  additionalDetails: z.nullish(z.string()),
})

const turn = z.object({ id: z.string(), status: z.string(), error: z.nullish(turnError) })

const tokens = z.object({
  totalTokens: z.number(),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  cacheWriteInputTokens: z._default(z.number(), 0),
  outputTokens: z.number(),
})

const tokenUsage = z.object({ total: tokens, last: tokens })

const ofTurn = { threadId: z.string(), turnId: z.string() }
const delta = z.object({ ...ofTurn, itemId: z.string(), delta: z.string() })

const notification = z.discriminatedUnion('method', [
  z.object({ method: z.literal('thread/closed'), params: z.object({ threadId: z.string() }) }),
  z.object({ method: z.literal('turn/started'), params: z.object({ threadId: z.string(), turn }) }),
  z.object({ method: z.literal('turn/completed'), params: z.object({ threadId: z.string(), turn }) }),
  z.object({ method: z.literal('item/started'), params: z.object({ ...ofTurn, item }) }),
  z.object({ method: z.literal('item/completed'), params: z.object({ ...ofTurn, item }) }),
  z.object({ method: z.literal('item/agentMessage/delta'), params: delta }),
  z.object({ method: z.literal('item/plan/delta'), params: delta }),
  z.object({ method: z.literal('item/reasoning/summaryTextDelta'), params: delta }),
  z.object({ method: z.literal('item/reasoning/textDelta'), params: delta }),
  z.object({
    method: z.literal('item/reasoning/summaryPartAdded'),
    params: z.object({ ...ofTurn, itemId: z.string() }),
  }),
  z.object({
    method: z.literal('thread/tokenUsage/updated'),
    params: z.object({ ...ofTurn, tokenUsage }),
  }),
  z.object({
    method: z.literal('error'),
    params: z.object({ ...ofTurn, error: turnError, willRetry: z.boolean() }),
  }),
])

const ofThread = z.object({ threadId: z.string() })

const serverRequest = z.discriminatedUnion('method', [
  z.object({
    method: z.literal('item/commandExecution/requestApproval'),
    params: z.extend(ofThread, {
      itemId: z.string(),
      kind: z.nullish(z.string()),
      approvalId: z.nullish(z.string()),
      cwd: z.nullish(z.string()),
      command: z.nullish(z.string()),
      reason: z.nullish(z.string()),
      networkApprovalContext: z.nullish(z.object({ host: z.string() })),
    }),
  }),
  z.object({
    method: z.literal('item/fileChange/requestApproval'),
    params: z.extend(ofThread, { itemId: z.string() }),
  }),
  z.object({
    method: z.literal('mcpServer/elicitation/request'),
    params: z.extend(ofThread, {
      serverName: z.string(),
      _meta: z.nullish(z.object({ codex_approval_kind: z.optional(z.string()) })),
    }),
  }),
  z.object({ method: z.literal('item/permissions/requestApproval'), params: ofThread }),
  z.object({ method: z.literal('item/tool/requestUserInput'), params: ofThread }),
  z.object({ method: z.literal('item/tool/call'), params: ofThread }),
])

const storedThread = z.object({
  id: z.string(),
  forkedFromId: z.nullish(z.string()),
  preview: z.string(),
  name: z.nullish(z.string()),
  model: z.nullish(z.string()),
  // In seconds.
  createdAt: z.number(),
  updatedAt: z.number(),
  path: z.nullish(z.string()),
  cwd: z.string(),
})

const itemTimes = z.object({
  startedAtMs: z.nullish(z.number()),
  completedAtMs: z.nullish(z.number()),
})

const storedTurn = z.extend(turn, {
  // In seconds.
  startedAt: z.nullish(z.number()),
  completedAt: z.nullish(z.number()),
  // Null for the kinds that are of no interest here.
  items: z.array(z.catch(z.nullable(z.intersection(item, itemTimes)), null)),
})

export type StoredThread = z.infer<typeof storedThread>
export type StoredTurn = z.infer<typeof storedTurn>
export type StoredItem = NonNullable<StoredTurn['items'][number]>
export type UserInput = z.infer<typeof userInput>
export type Item = z.infer<typeof item>
export type FileChange = z.infer<typeof change>
export type TurnError = z.infer<typeof turnError>
export type TokenUsage = z.infer<typeof tokenUsage>
export type Notification = z.infer<typeof notification>
export type ServerRequest = z.infer<typeof serverRequest>
export type CommandParams = Extract<
  ServerRequest,
  { method: 'item/commandExecution/requestApproval' }
>['params']

/** Null for what is of no interest here. */
export const parseNotification = (message: unknown): Notification | null =>
  notification.safeParse(message).data ?? null

/** Null for what nobody here can answer. */
export const parseServerRequest = (message: unknown): ServerRequest | null =>
  serverRequest.safeParse(message).data ?? null

export const envelope = z.object({
  id: z.optional(z.union([z.string(), z.number()])),
  method: z.optional(z.string()),
  result: z.optional(z.unknown()),
  error: z.optional(z.object({ message: z.string() })),
})

export const threadReply = z.object({ thread: z.object({ id: z.string() }) })
export const turnReply = z.object({ turn: z.object({ id: z.string() }) })

export const turnsReply = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      items: z.array(
        z.object({
          type: z.string(),
          content: z._default(z.array(z.object({ text: z.optional(z.string()) })), []),
        }),
      ),
    }),
  ),
  nextCursor: z.nullish(z.string()),
})

const nextCursor = z.nullish(z.string())
export const storedThreadReply = z.object({ thread: storedThread })
export const storedThreadsReply = z.object({ data: z.array(storedThread), nextCursor })
export const storedTurnsReply = z.object({ data: z.array(storedTurn), nextCursor })

export const terminalsReply = z.object({
  data: z.array(z.object({ itemId: z.string(), processId: z.string() })),
})

export const skillsReply = z.object({
  data: z.array(z.object({ skills: z.array(z.object({ path: z.string(), scope: z.string() })) })),
})

const workspaceSettings = z.nullish(
  z.object({
    writable_roots: z._default(z.array(z.string()), []),
    network_access: z._default(z.boolean(), false),
    exclude_tmpdir_env_var: z._default(z.boolean(), false),
    exclude_slash_tmp: z._default(z.boolean(), false),
  }),
)
export type WorkspaceSettings = z.infer<typeof workspaceSettings>

export const configReply = z.object({
  config: z.catchall(
    z.object({
      model_context_window: z.nullish(z.number()),
      skills: z.nullish(z.object({ config: z.nullish(z.array(z.record(z.string(), z.json()))) })),
      sandbox_workspace_write: workspaceSettings,
    }),
    z.json(),
  ),
})
