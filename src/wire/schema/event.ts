import * as z from 'zod/mini'
import type { Reset, TreeEvent } from '../../tree/event.ts'
import { channelID, messageID, permissionID, requestID, sessionID, turnID, updateID } from './ids.ts'
import { component } from './names.ts'
import { count, time } from './numbers.ts'

const place = { seq: count, at: time, sessionID }

export const treeEvent = component(
  'TreeEvent',
  z.discriminatedUnion('kind', [
    z.object({
      ...place,
      kind: z.enum(['session.created', 'session.updated', 'session.deleted', 'owner.changed']),
    }),
    z.object({
      ...place,
      kind: z.enum(['fork.entered', 'fork.changed', 'fork.ended', 'main.moved']),
      subjectID: channelID,
    }),
    z.object({ ...place, kind: z.literal('message.added'), subjectID: messageID }),
    z.object({ ...place, kind: z.enum(['turn.started', 'turn.ended']), subjectID: turnID }),
    z.object({ ...place, kind: z.literal('request.made'), subjectID: requestID }),
    z.object({ ...place, kind: z.literal('update.added'), subjectID: updateID }),
    z.object({
      ...place,
      kind: z.enum(['permission.asked', 'permission.answered']),
      subjectID: permissionID,
    }),
  ]),
) satisfies z.ZodMiniType<TreeEvent>

export const reset = component(
  'Reset',
  z.object({ kind: z.literal('reset'), seq: count }),
) satisfies z.ZodMiniType<Reset>
