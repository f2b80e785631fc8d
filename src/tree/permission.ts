import type { PermissionID, SessionID, TurnID } from './ids.ts'

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
  /** How far an approval reaches: this call, or every call of that tool in this session. */
  readonly scope: 'call' | 'session'
  readonly asked: number
}
