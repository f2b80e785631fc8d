import * as z from 'zod/mini'
import type { InboxItem, Incoming } from '../../tree/inbox.ts'
import { channelID, inboxID, inquiryID, messageID, scheduleID, sessionID, turnID } from './ids.ts'
import { component } from './names.ts'
import { time } from './numbers.ts'
import { processIdentity } from './process.ts'
import { exitAction } from './side-fork.ts'

export const incoming = component(
  'Incoming',
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('message'),
      text: z.string(),
      externalID: z.nullable(z.string()),
      replyTo: z.nullable(z.object({ externalID: z.string(), text: z.string() })),
    }),
    z.object({
      kind: z.literal('fork'),
      topic: z.nullable(z.string()),
      idleTimeout: z.nullable(z.number()),
      turnID: z.nullable(turnID),
    }),
    z.object({
      kind: z.literal('exit'),
      action: exitAction,
      forkID: sessionID,
      text: z.nullable(z.string()),
    }),
    z.object({ kind: z.literal('click'), inquiryID, prompt: z.nullable(z.string()) }),
    z.object({ kind: z.literal('idle'), forkID: sessionID }),
    z.object({ kind: z.literal('schedule'), scheduleID, prompt: z.string(), due: z.nullable(time) }),
  ]),
) satisfies z.ZodMiniType<Incoming>

export const inboxItem = component(
  'InboxItem',
  z.object({
    id: inboxID,
    channelID,
    what: incoming,
    isUrgent: z.boolean(),
    isForMain: z.boolean(),
    state: z.enum(['waiting', 'running', 'done', 'failed']),
    process: processIdentity,
    forkID: z.nullable(sessionID),
    messageID: z.nullable(messageID),
    reason: z.nullable(z.string()),
    created: time,
  }),
) satisfies z.ZodMiniType<InboxItem>
