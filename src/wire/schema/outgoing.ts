import * as z from 'zod/mini'
import type { OutboxItem, Outgoing } from '../../tree/outgoing.ts'
import { channelID, inquiryID, outboxID, sessionID, turnID } from './ids.ts'
import { list } from './list.ts'
import { component } from './names.ts'
import { time } from './numbers.ts'
import { processIdentity } from './process.ts'
import { forkChanges, forkOutcome } from './side-fork.ts'

export const outgoing = component(
  'Outgoing',
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('message'),
      text: z.string(),
      reply: z.exactOptional(z.object({ turnID, shown: list(z.string()) })),
    }),
    z.object({ kind: z.literal('notice'), text: z.string() }),
    z.object({
      kind: z.literal('embed'),
      title: z.string(),
      body: z.string(),
      buttons: list(z.object({ label: z.string(), inquiryID })),
    }),
    z.object({ kind: z.literal('entered'), topic: z.nullable(z.string()), isOpen: z.boolean() }),
    z.object({
      kind: z.literal('ended'),
      outcome: forkOutcome,
      words: z.string(),
      files: z.exactOptional(forkChanges),
    }),
  ]),
) satisfies z.ZodMiniType<Outgoing>

export const outboxItem = component(
  'OutboxItem',
  z.object({
    id: outboxID,
    channelID,
    sessionID,
    what: outgoing,
    state: z.enum(['waiting', 'sending', 'sent']),
    process: z.nullable(processIdentity),
    externalID: z.nullable(z.string()),
    created: time,
  }),
) satisfies z.ZodMiniType<OutboxItem>
