/** How long a soak takes, and what follows from that. */
export interface Length {
  readonly seconds: number
  /** Milliseconds between two harms that a process comes to, on average. */
  readonly between: number
  /** Milliseconds between two measurements. */
  readonly measureEvery: number
  /** Whether it is long enough to see whether memory grows. */
  readonly showsGrowth: boolean
  /** Whether the first third is over: what grows old is killed no more. */
  isWarm(): boolean
}

export function lengthOf(seconds: number): Length {
  const started = performance.now()
  return {
    seconds,
    between: clamp(seconds * 200, 4_000, 30_000),
    measureEvery: clamp(seconds * 60, 1_000, 10_000),
    showsGrowth: seconds >= 600,
    isWarm: () => performance.now() - started > (seconds * 1_000) / 3,
  }
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)
