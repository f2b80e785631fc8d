import { BoughError } from './error.ts'

export type SessionID = `ses_${string}`
export type MessageID = `msg_${string}`
export type TurnID = `trn_${string}`
export type PermissionID = `per_${string}`
export type RequestID = `req_${string}`
export type SnapshotID = `snp_${string}`
export type WorkspaceID = `wsp_${string}`
export type RestoreID = `rst_${string}`
export type SeedID = `sed_${string}`
export type ChannelID = `chn_${string}`
export type UpdateID = `upd_${string}`
export type InquiryID = `inq_${string}`
export type ScheduleID = `sch_${string}`
export type InboxID = `inb_${string}`
export type OutboxID = `out_${string}`

/** Milliseconds since 1970. Injected, so that tests decide what time it is. */
export type Clock = () => number

/** Makes new ids. Each is its prefix, 10 characters of time and 16 of chance: sorted by id is sorted by time. */
export interface Ids {
  session(): SessionID
  message(): MessageID
  turn(): TurnID
  permission(): PermissionID
  request(): RequestID
  snapshot(): SnapshotID
  workspace(): WorkspaceID
  restore(): RestoreID
  seed(): SeedID
  channel(): ChannelID
  update(): UpdateID
  inquiry(): InquiryID
  schedule(): ScheduleID
  inbox(): InboxID
  outbox(): OutboxID
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeLength = 10
const chanceLength = 16

export function createIds(clock: Clock, randomBytes: (length: number) => Uint8Array): Ids {
  let lastTime = -1
  let chance: number[] = []

  // Within one millisecond, and when the clock goes back, the next id is the last one plus one.
  const next = (): string => {
    const now = clock()
    if (now > lastTime) {
      lastTime = now
      chance = Array.from(randomBytes(chanceLength), (byte) => byte % alphabet.length)
      // The first digit starts low, so that counting on never runs over.
      chance[0] = (chance[0] ?? 0) % (alphabet.length / 2)
    } else {
      chance = plusOne(chance)
    }
    return encodeTime(lastTime) + chance.map((digit) => alphabet[digit]).join('')
  }

  return {
    session: () => `ses_${next()}`,
    message: () => `msg_${next()}`,
    turn: () => `trn_${next()}`,
    permission: () => `per_${next()}`,
    request: () => `req_${next()}`,
    snapshot: () => `snp_${next()}`,
    workspace: () => `wsp_${next()}`,
    restore: () => `rst_${next()}`,
    seed: () => `sed_${next()}`,
    channel: () => `chn_${next()}`,
    update: () => `upd_${next()}`,
    inquiry: () => `inq_${next()}`,
    schedule: () => `sch_${next()}`,
    inbox: () => `inb_${next()}`,
    outbox: () => `out_${next()}`,
  }
}

export const isSessionID = (id: string): id is SessionID => isID('ses', id)
export const isMessageID = (id: string): id is MessageID => isID('msg', id)
export const isPermissionID = (id: string): id is PermissionID => isID('per', id)
export const isInquiryID = (id: string): id is InquiryID => isID('inq', id)

/** The end of an id: short to read and to type, and unlike the beginning it differs between neighbours. */
export const shortID = (id: string): string => id.slice(-6)

// Fewer would find something by accident, and some commands delete what they find.
export const fewestOfBeginning = 3
const fewestOfEnd = 4

/** A whole or shortened id as a person typed it, from either end, without its prefix. */
export function parseShortID(prefix: 'ses' | 'msg' | 'per' | 'snp' | 'sch', typed: string): string {
  const text = typed.trim().toLowerCase()
  const bare = text.startsWith(`${prefix}_`) ? text.slice(prefix.length + 1) : text
  if (!/^[0-9a-z]{1,26}$/.test(bare)) {
    throw new BoughError(
      'bad_input',
      `"${typed}" is not an id. Ids look like ${prefix}_01kc…, and may be shortened from either end.`,
    )
  }
  if (bare.length < fewestOfBeginning) throw tooShort(typed)
  return bare
}

/** What an id must end in to be meant by that; null where it is enough for a beginning only. */
export const endOfID = (bareID: string): string | null => (bareID.length < fewestOfEnd ? null : bareID)

/** Whether an id is meant by what a person typed, of which its prefix was taken off. */
export function isMeantBy(bareID: string, id: string): boolean {
  const bare = id.slice(id.indexOf('_') + 1)
  const end = endOfID(bareID)
  return (
    bareID.length >= fewestOfBeginning && (bare.startsWith(bareID) || (end !== null && bare.endsWith(end)))
  )
}

export const tooShort = (typed: string): BoughError =>
  new BoughError('bad_input', `"${typed}" is too short: type at least ${fewestOfEnd} characters of the id.`)

function isID(prefix: string, id: string): boolean {
  return id.startsWith(`${prefix}_`) && /^[0-9a-z]{26}$/.test(id.slice(prefix.length + 1))
}

function encodeTime(time: number): string {
  let rest = time
  let text = ''
  for (let i = 0; i < timeLength; i++) {
    text = alphabet.charAt(rest % alphabet.length) + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}

function plusOne(digits: readonly number[]): number[] {
  const result = [...digits]
  for (let i = result.length - 1; i >= 0; i--) {
    const digit = result[i] ?? 0
    if (digit < alphabet.length - 1) {
      result[i] = digit + 1
      return result
    }
    result[i] = 0
  }
  return result
}
