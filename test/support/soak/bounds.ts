import type { Length } from './length.ts'
import type { Sample } from './measure.ts'

// What must not grow with time. Processes are compared with themselves, in the second and in the last third of the soak: in the
// first they are killed again and again, and warm up.

const most = {
  /** A process has grown when it is both so many megabytes larger, and so many times as large. */
  grownMegabytes: 64,
  grownTimes: 1.3,
  handles: 250,
  grownHandles: 25,
  threads: 60,
  /** Those that are kept, and what people start; without those of agents. */
  processes: 30,
  /** Those of all commands that agents may run at the same time. */
  agents: 60,
  logMegabytes: 64,
  databaseBytesPerMessage: 24_000,
  snapshotBytesPerMessage: 64_000,
  temporaryFiles: 100,
} as const

export function brokenBounds(samples: readonly Sample[], length: Length): readonly string[] {
  const last = samples.at(-1)
  if (!last) return ['Nothing was measured.']
  return [
    ...samples.flatMap(overLimits),
    ...(length.showsGrowth ? namesIn(samples).flatMap((name) => growth(name, samples, length)) : []),
    ...atTheEnd(last),
  ]
}

function overLimits({
  at,
  processes,
  relatives,
  agents,
  logBytes,
  temporaryFiles,
}: Sample): readonly string[] {
  const told = (what: string, figure: number, limit: number) =>
    figure > limit ? [`After ${Math.round(at)} s: ${figure} ${what}, at most ${limit} expected`] : []
  return [
    ...[...processes].flatMap(([name, { handles, threads }]) => [
      ...told(`handles of the ${name}`, handles, most.handles),
      ...told(`threads of the ${name}`, threads, most.threads),
    ]),
    ...told('processes', relatives - agents, most.processes),
    ...told('processes of agents', agents, most.agents),
    ...told('MB of write-ahead log', Math.round(logBytes / 1e6), most.logMegabytes),
    ...told('temporary files', temporaryFiles, most.temporaryFiles),
  ]
}

function growth(name: string, samples: readonly Sample[], { seconds }: Length): readonly string[] {
  const between = (from: number, to: number) =>
    samples
      .filter(({ at }) => at >= from * seconds && at < to * seconds)
      .flatMap(({ processes }) => processes.get(name) ?? [])
  const [before, after] = [between(1 / 3, 2 / 3), between(2 / 3, 1)]
  const [was, is] = [before, after].map((each) => median(each.map(({ megabytes }) => megabytes)))
  const [had, has] = [before, after].map((each) => median(each.map(({ handles }) => handles)))
  if (was === undefined || is === undefined || had === undefined || has === undefined) return []
  return [
    ...(is - was > most.grownMegabytes && is / was > most.grownTimes
      ? [`The ${name} grew from ${Math.round(was)} MB to ${Math.round(is)} MB`]
      : []),
    ...(has - had > most.grownHandles ? [`The ${name} had ${had} handles open, and then ${has}`] : []),
  ]
}

function atTheEnd({ messages, databaseBytes, snapshotBytes }: Sample): readonly string[] {
  const perMessage = (bytes: number) => Math.round(bytes / Math.max(messages, 100))
  const [database, snapshots] = [perMessage(databaseBytes), perMessage(snapshotBytes)]
  return [
    ...(database > most.databaseBytesPerMessage
      ? [`The database has ${database} bytes for each message`]
      : []),
    ...(snapshots > most.snapshotBytesPerMessage
      ? [`Snapshots have ${snapshots} bytes for each message`]
      : []),
  ]
}

export const namesIn = (samples: readonly Sample[]): readonly string[] => [
  ...new Set(samples.flatMap(({ processes }) => [...processes.keys()])),
]

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
