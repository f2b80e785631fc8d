import type { ChannelID, SessionID } from './ids.ts'

/** A place where somebody talks. It has one main and at most one open interactive fork. */
export interface Channel {
  readonly id: ChannelID
  /** Which kind of place: `cli`, `discord` … */
  readonly frontEnd: string
  /** How that front end knows it: the id of a direct message, say. Unique among those of its front end. */
  readonly key: string
  /** The session that it returns to when no interactive fork is open. Being main is this pointer, and nothing else. */
  readonly mainID: SessionID
  /** The interactive fork that is open; null when none is. */
  readonly openForkID: SessionID | null
  /** The last message of the chat that has come in, by its id there; null where none has, or they have no ids. */
  readonly lastHeard: string | null
  readonly created: number
}

/** Of the places on this machine, which all show the same: the terminal UI, `bough chat`, the commands. */
export const ownFrontEnd = 'cli'

/** Whether it is a chat elsewhere, say, that only a front end of its own shows. */
export const isOfAnotherFrontEnd = ({ frontEnd }: Pick<Channel, 'frontEnd'>): boolean =>
  frontEnd !== ownFrontEnd
