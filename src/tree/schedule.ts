import type { RunFiles } from './files-mode.ts'
import type { ChannelID, ScheduleID, SessionID } from './ids.ts'
import type { SandboxMode } from './sandbox.ts'

// A schedule goes: active ──▶ done (a reminder that ran) | cancelled. One that an agent wants is made when a person has approved it.

interface ScheduleBase {
  readonly id: ScheduleID
  readonly channelID: ChannelID
  readonly prompt: string
  readonly agent: string | null
  readonly model: string | null
  readonly allowedTools: readonly string[] | null
  /** What its runs do about files; null for what the person has set. */
  readonly files: RunFiles | null
  /** Of its runs; null: that of the main conversation. */
  readonly sandbox: SandboxMode | null
  /** A run of its own, or a prompt to main. */
  readonly mode: 'background' | 'main'
  readonly state: 'active' | 'done' | 'cancelled'
  /** When it is due next; null when it never is again. */
  readonly due: number | null
  /** Its newest run. */
  readonly lastSessionID: SessionID | null
  readonly created: number
}

/** A prompt that runs again and again. */
export interface Routine extends ScheduleBase {
  readonly kind: 'routine'
  readonly cron: string
  /** An IANA name, like Europe/Berlin. */
  readonly zone: string
}

/** A prompt that runs once. */
export interface Reminder extends ScheduleBase {
  readonly kind: 'reminder'
}

export type Schedule = Routine | Reminder

export interface ReminderDraft {
  readonly prompt: string
  /** When: milliseconds since 1970. */
  readonly at: number
  readonly mode?: 'background' | 'main'
  readonly agent?: string
  readonly model?: string
  readonly allowedTools?: readonly string[]
  readonly sandbox?: SandboxMode
  readonly files?: RunFiles
}

export interface RoutineDraft extends Omit<ReminderDraft, 'at'> {
  readonly cron: string
  /** Absent: the zone of this machine. */
  readonly zone?: string
}

/** What may be changed in a schedule: the time of a reminder by `at`, that of a routine by `cron` and `zone`. */
export interface ScheduleChange {
  readonly prompt?: string
  readonly cron?: string
  readonly zone?: string
  readonly at?: number
}

/** What became of one time that a schedule was due. */
export interface ScheduleRun {
  readonly scheduleID: ScheduleID
  readonly due: number
  /** `skipped`: the run before it was still going. `late`: nothing ran when it was due. `failed`: it could not begin. */
  readonly how: 'ran' | 'late' | 'skipped' | 'failed'
  /** For a person: why it failed. */
  readonly reason: string | null
  readonly sessionID: SessionID | null
  readonly at: number
}
