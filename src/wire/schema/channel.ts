import * as z from 'zod/mini'
import type { Channel } from '../../tree/channel.ts'
import { channelID, sessionID } from './ids.ts'
import { component } from './names.ts'
import { time } from './numbers.ts'

export const channel = component(
  'Channel',
  z.object({
    id: channelID,
    frontEnd: z.string(),
    key: z.string(),
    mainID: sessionID,
    openForkID: z.nullable(sessionID),
    lastHeard: z.nullable(z.string()),
    created: time,
  }),
) satisfies z.ZodMiniType<Channel>
