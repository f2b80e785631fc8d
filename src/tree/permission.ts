import type { PermissionID, SessionID, TurnID } from './ids.ts'

/**
 * How far an approval reaches: this call; what its offer names, in this session or always; or everything that the tool
 * does in this session.
 */
export const approvalScopes = ['call', 'session', 'always', 'tool'] as const

export type ApprovalScope = (typeof approvalScopes)[number]

/** An approval that a person may give. */
export interface Offer {
  readonly scope: ApprovalScope
  /** What it covers, in the words of its button: "once", "npm test … this session". */
  readonly words: string
  /** What needs no asking from then on, as in `permissions.allow`; null where it is this call only. */
  readonly rule: string | null
}

/** Something an agent asks before it acts. It is answered once, by a person, a time-out or the end of its turn. */
export interface Permission {
  readonly id: PermissionID
  readonly sessionID: SessionID
  readonly turnID: TurnID
  readonly tool: string
  /** For a person: the command line, the path. */
  readonly detail: string
  /** What the detail does not tell: where a link leads, or that programs take commands from the file. Null for nothing. */
  readonly caution: string | null
  readonly state: 'asked' | 'allowed' | 'denied'
  /** How far the approval reaches. */
  readonly scope: ApprovalScope
  /** The approvals to choose from, the narrowest first. No other may be given. */
  readonly offers: readonly Offer[]
  readonly asked: number
}

export const offerOf = ({ offers }: Pick<Permission, 'offers'>, scope: ApprovalScope): Offer | undefined =>
  offers.find((offer) => offer.scope === scope)

export const once: Offer = { scope: 'call', words: 'once', rule: null }
