import * as z from 'zod/mini'
import type { Update } from '../../tree/update.ts'
import { channelID, messageID, sessionID, updateID } from './ids.ts'
import { component } from './names.ts'
import { count, time } from './numbers.ts'

export const update = component(
  'Update',
  z.object({
    id: updateID,
    channelID,
    sessionID,
    text: z.string(),
    afterSeq: count,
    messageID: z.nullable(messageID),
    created: time,
  }),
) satisfies z.ZodMiniType<Update>
