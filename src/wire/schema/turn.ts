import * as z from 'zod/mini'
import type { Draft, Turn, TurnEnd, TurnEvent, TurnOutcome } from '../../tree/turn.ts'
import { messageID, sessionID, turnID } from './ids.ts'
import { list } from './list.ts'
import { message, part, toolCallPart, toolResultPart } from './message.ts'
import { component } from './names.ts'
import { permission } from './permission.ts'

export const turnOutcome = component(
  'TurnOutcome',
  z.enum(['finished', 'interrupted', 'failed']),
) satisfies z.ZodMiniType<TurnOutcome>

export const turnEnd = component(
  'TurnEnd',
  z.object({ outcome: turnOutcome, reason: z.nullable(z.string()) }),
) satisfies z.ZodMiniType<TurnEnd>

export const turnEvent = component(
  'TurnEvent',
  z.discriminatedUnion('type', [
    z.object({ type: z.enum(['text', 'reasoning']), messageID, text: z.string() }),
    z.object({ type: z.literal('tool-call'), messageID, call: toolCallPart }),
    z.object({ type: z.literal('tool-result'), messageID, result: toolResultPart }),
    z.object({ type: z.literal('permission'), permission }),
    z.object({ type: z.literal('message'), message }),
    z.object({ type: z.literal('notice'), text: z.string() }),
    z.object({ type: z.literal('ended'), end: turnEnd }),
  ]),
) satisfies z.ZodMiniType<TurnEvent>

export const draft = component(
  'Draft',
  z.object({ messageID, role: z.enum(['assistant', 'tool']), parts: list(part) }),
) satisfies z.ZodMiniType<Draft>

/** Of a turn what is plain data; what happens in it comes as a stream. */
export type TurnFacts = Omit<Turn, 'events' | 'ended'>

export const turn = component(
  'Turn',
  z.object({ id: turnID, sessionID, prompt: message }),
) satisfies z.ZodMiniType<TurnFacts>
