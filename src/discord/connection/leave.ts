import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'discord.js'

/** Milliseconds that the goodbye may take: discord.js can wait for ever for that of a connection which it is just taking up anew. */
const goodbyeLasts = 5_000

/** Hears and says nothing any more. */
export async function leave(client: Client): Promise<void> {
  await Promise.race([client.destroy(), pause(goodbyeLasts, undefined, { ref: false })])
}
