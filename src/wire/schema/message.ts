import * as z from 'zod/mini'
import type {
  Author,
  Message,
  MessageStatus,
  Part,
  Role,
  ToolCallPart,
  ToolResultPart,
} from '../../tree/message.ts'
import { messageID, sessionID, snapshotID } from './ids.ts'
import { json } from './json.ts'
import { list } from './list.ts'
import { component } from './names.ts'
import { count, time } from './numbers.ts'
import { usage } from './usage.ts'

export const role = component(
  'Role',
  z.enum(['user', 'assistant', 'tool', 'system', 'error', 'summary']),
) satisfies z.ZodMiniType<Role>

export const messageStatus = component(
  'MessageStatus',
  z.enum(['complete', 'interrupted', 'failed']),
) satisfies z.ZodMiniType<MessageStatus>

export const author = component('Author', z.enum(['agent', 'schedule'])) satisfies z.ZodMiniType<Author>

export const toolCallPart = component(
  'ToolCallPart',
  z.object({ type: z.literal('tool-call'), callID: z.string(), name: z.string(), args: json }),
) satisfies z.ZodMiniType<ToolCallPart>

export const toolResultPart = component(
  'ToolResultPart',
  z.object({
    type: z.literal('tool-result'),
    callID: z.string(),
    name: z.string(),
    output: z.string(),
    exitCode: z.number(),
  }),
) satisfies z.ZodMiniType<ToolResultPart>

export const part = component(
  'Part',
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string(), author: z.exactOptional(author) }),
    z.object({ type: z.enum(['reasoning', 'context', 'notice']), text: z.string() }),
    toolCallPart,
    toolResultPart,
  ]),
) satisfies z.ZodMiniType<Part>

export const message = component(
  'Message',
  z.object({
    id: messageID,
    sessionID,
    seq: count,
    role,
    text: z.string(),
    parts: list(part),
    status: messageStatus,
    nativeID: z.nullable(z.string()),
    usage: z.nullable(usage),
    snapshot: z.nullable(snapshotID),
    created: time,
  }),
) satisfies z.ZodMiniType<Message>
