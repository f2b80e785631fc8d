/** One line of the table: what was measured, and what it may be. */
export type Row = Ratio | Bound | Fact | Absent

interface Measured {
  readonly what: string
  readonly unit: Unit
  /** The p50, where it was measured more than once. */
  readonly measured: number
  /** Half of the samples lie between these: how noisy it was. */
  readonly spread?: readonly [number, number]
}

/** At most `limit` times something that was measured in the same run. */
export interface Ratio extends Measured {
  readonly kind: 'ratio'
  readonly baseline: Baseline
  readonly limit: number
}

/** At most `limit`, in its own unit. */
export interface Bound extends Measured {
  readonly kind: 'bound'
  readonly limit: number
}

/** For information. */
export interface Fact extends Measured {
  readonly kind: 'fact'
  readonly baseline?: Baseline
}

/** What cannot be measured here, and why. */
export interface Absent {
  readonly kind: 'absent'
  readonly what: string
  readonly why: string
}

/** Measured in the same run. */
export interface Baseline {
  readonly what: string
  readonly measured: number
}

export type Unit = 'ms' | 'bytes' | 'MB' | '%'

/** Rows that share their data. To add a row, add it to its group; to add a group, name it in `run.ts`. */
export interface Group {
  /** To run it alone: `npm run bench -- <name>`. */
  readonly name: string
  readonly title: string
  /** `directory` is empty, the group's own, and removed afterwards. */
  measure(directory: string): Promise<readonly Row[]>
}

export const timesBaseline = (measured: number, baseline: Baseline): number => measured / baseline.measured

// A figure that is no number is missed too.
export function isMissed(row: Row): boolean {
  switch (row.kind) {
    case 'ratio':
      return !(timesBaseline(row.measured, row.baseline) <= row.limit)
    case 'bound':
      return !(row.measured <= row.limit)
    case 'fact':
    case 'absent':
      return false
  }
}
