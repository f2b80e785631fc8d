import { type Operation, pathWith } from './operations.ts'

// Requests name things that are there by their kind and a number, «SessionID:3», so that the same seed means the same request
// in every run.

export interface FuzzRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Bytes after the body that are no UTF-8. */
  readonly isGarbled: boolean
}

/** A request before it is written down. */
export interface Parts {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: readonly (readonly [string, string])[]
  readonly body: unknown
}

export function finish(
  { operation, params, query, body }: Parts,
  more: Readonly<Record<string, string>> = {},
): FuzzRequest {
  const path = pathWith(
    operation.path,
    Object.fromEntries(Object.entries(params).map(([name, value]) => [name, marked(value)])),
  )
  const pairs = query.map(([name, value]) => `${name}=${marked(value)}`).join('&')
  return {
    name: operation.name,
    method: operation.method,
    path: pairs === '' ? path : `${path}?${pairs}`,
    headers: { 'content-type': 'application/json', ...more },
    body: body === undefined ? null : JSON.stringify(body),
    isGarbled: false,
  }
}

export const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

// The marks of things that are there stay readable until they are replaced.
const marked = (text: string): string =>
  encode(text).replaceAll('%C2%AB', '«').replaceAll('%C2%BB', '»').replaceAll('%3A', ':')

/** What there is, by kind; the newest last. */
export type Pools = Readonly<Record<string, readonly string[]>>

export const prefixes: Readonly<Record<string, string>> = {
  SessionID: 'ses',
  MessageID: 'msg',
  TurnID: 'trn',
  PermissionID: 'per',
  SnapshotID: 'snp',
  ChannelID: 'chn',
  InquiryID: 'inq',
  ScheduleID: 'sch',
}

/** Puts what is there in the place of its marks. */
export function resolved(text: string, pools: Pools): string {
  return text.replaceAll(/«(\w+):(\d+)»/g, (_, kind: string, i: string) => {
    const pool = pools[kind] ?? []
    return pool[Number(i) % pool.length] ?? `${prefixes[kind] ?? 'x'}_01kc0000000000000000000000`
  })
}
