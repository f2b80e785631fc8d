import { GatewayOpcodes } from 'discord-api-types/v10'
import { z } from 'zod'

// What a client may say over the gateway.

const identify = z.object({
  token: z.string(),
  intents: z.number(),
  compress: z.boolean().optional(),
  shard: z.tuple([z.number(), z.number()]).optional(),
  presence: z.unknown().optional(),
})
const resume = z.object({ token: z.string(), session_id: z.string(), seq: z.number() })

const frame = z.discriminatedUnion('op', [
  z.object({ op: z.literal(GatewayOpcodes.Heartbeat) }),
  z.object({ op: z.literal(GatewayOpcodes.Identify), d: identify }),
  z.object({ op: z.literal(GatewayOpcodes.Resume), d: resume }),
  z.object({ op: z.literal(GatewayOpcodes.PresenceUpdate), d: z.unknown() }),
])

export type ClientFrame = z.infer<typeof frame>
export type Identify = z.infer<typeof identify>
export type Resume = z.infer<typeof resume>

/** Null when it is nothing that the fake understands. */
export function frameOf(text: string): ClientFrame | null {
  try {
    return frame.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** What a log may hold of a frame: all but the token. */
export function withoutToken(frame: ClientFrame): object | undefined {
  if (!('d' in frame) || typeof frame.d !== 'object' || frame.d === null) return undefined
  const { token: _, ...rest } = { token: '', ...frame.d }
  return rest
}
