/** Does something that does not count, in the middle of what does. */
export type Aside = (work: () => Promise<unknown>) => Promise<void>

/** Something whose time is taken again and again. */
export class Subject {
  readonly what: string
  readonly #work: (aside: Aside) => unknown
  readonly #times: number[] = []

  constructor(what: string, work: (aside: Aside) => unknown) {
    this.what = what
    this.#work = work
  }

  async sample(): Promise<void> {
    const start = performance.now()
    let uncounted = 0
    await this.#work(async (work) => {
      const from = performance.now()
      await work()
      uncounted += performance.now() - from
    })
    this.#times.push(performance.now() - start - uncounted)
  }

  forget(): void {
    this.#times.length = 0
  }

  /** Its part of a row. */
  get result(): { what: string; unit: 'ms'; measured: number; spread: readonly [number, number] } {
    const sorted = this.#times.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    return { what: this.what, unit: 'ms', measured: at(0.5), spread: [at(0.25), at(0.75)] }
  }
}

/**
 * Samples the subjects in turn, forwards and then backwards, so that what else the machine does hits all of them
 * alike. The first tenth of the rounds is for warming up and does not count. `before` every round, something untimed.
 */
export async function interleave(
  subjects: readonly Subject[],
  rounds: number,
  before: () => unknown = () => {},
): Promise<void> {
  const warmUp = Math.ceil(rounds / 10)
  for (let round = 0; round < warmUp + rounds; round++) {
    if (round === warmUp) for (const subject of subjects) subject.forget()
    await before()
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) await subject.sample()
  }
}
