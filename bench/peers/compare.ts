import type { Row } from '../row.ts'
import { Subject } from '../subject.ts'
import type { Work } from './peer.ts'

/** One who does the same work as the others; bough comes first. */
export interface Contender {
  readonly name: string
  readonly work: Work
}

export interface Effort {
  readonly rounds: number
  /** Milliseconds that one of them may take in all. */
  readonly atMost: number
}

/**
 * What bough took, beside what each of the others took, in turn with them. With a limit, bough must not take more than so many
 * times as long. Of one that cannot do it, the table says why.
 */
export async function compare(
  what: string,
  [own, ...others]: readonly [Contender, ...(readonly Contender[])],
  effort: Effort,
  limit: number | null,
): Promise<readonly Row[]> {
  const ours = new Subject(what, own.work)
  const theirs = others.map(({ name, work }) => new Subject(name, work))
  const failed = await takeTurns([ours, ...theirs], effort)
  const why = failed.get(ours)
  if (why !== undefined) throw new Error(`${what}: ${why}`)
  if (theirs.length === 0) return [{ kind: 'fact', ...ours.result }]
  return theirs.map((subject): Row => {
    const why = failed.get(subject)
    if (why !== undefined) return { kind: 'absent', what: `${what}, ${subject.what}`, why }
    return beside({ ...ours.result, baseline: subject.result }, limit)
  })
}

/** A figure where there is a limit, otherwise for information. */
export const beside = (
  measured: Omit<Extract<Row, { kind: 'ratio' }>, 'kind' | 'limit'>,
  limit: number | null,
): Row => (limit === null ? { kind: 'fact', ...measured } : { kind: 'ratio', ...measured, limit })

/** Samples them in turn, forwards and then backwards. Gives those that could not do it, with the reason. */
export async function takeTurns(
  subjects: readonly Subject[],
  { rounds, atMost }: Effort,
): Promise<ReadonlyMap<Subject, string>> {
  const spent = new Map(subjects.map((subject) => [subject, 0]))
  const failed = new Map<Subject, string>()
  for (let round = 0; round <= rounds; round++) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const before = spent.get(subject) ?? 0
      if (failed.has(subject) || before >= atMost) continue
      const begun = performance.now()
      try {
        await subject.sample()
      } catch (error) {
        failed.set(subject, whyOf(error))
      }
      const took = performance.now() - begun
      // The first is for warming up, unless there is no time for many.
      const isWarmUp = round === 0 && took < atMost / 2
      if (isWarmUp) subject.forget()
      spent.set(subject, isWarmUp ? 0 : before + took)
    }
  }
  return failed
}

/** In one line, and not too long for a table. */
export const whyOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 120)
