import type { Bough, PersonsDoing } from '../../bough.ts'
import type { Channel } from '../../tree/channel.ts'
import type { Asker } from '../port.ts'

/** What it takes to do what the owner asks for. */
export interface Desk {
  readonly bough: Bough
  channel(): Promise<Channel>
  /** Hands something in; resolves when its turn has begun, or it is done without one. Rejects with why it cannot be. */
  say(what: PersonsDoing, asker: Asker): Promise<void>
}
