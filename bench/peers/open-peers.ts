import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Absent } from '../row.ts'
import { peers } from './all.ts'
import { whyOf } from './compare.ts'
import type { Peer } from './peer.ts'

/** As the tables name it. */
export const nameOf = ({ name, version }: Peer): string => `${name} ${version}`

export interface Opened<T> {
  readonly name: string
  readonly it: T
}

export interface OpenedPeers<T> {
  /** bough first. */
  readonly opened: readonly [Opened<T>, ...(readonly Opened<T>[])]
  readonly absent: readonly Absent[]
}

/** Makes each ready, in a directory of its own. What cannot be had is named, with the reason; of bough, that is an error. */
export async function openPeers<T extends object>(
  directory: string,
  open: (peer: Peer, directory: string) => Promise<T | string>,
): Promise<OpenedPeers<T>> {
  const [bough, ...others] = peers
  const own = await openOne(bough, directory, open)
  if (typeof own === 'string') throw new Error(`bough itself is not ready: ${own}`)
  const opened: Opened<T>[] = []
  const absent: Absent[] = []
  for (const peer of others) {
    const it = await openOne(peer, directory, open).catch(whyOf)
    if (typeof it === 'string') absent.push({ kind: 'absent', what: nameOf(peer), why: it })
    else opened.push({ name: nameOf(peer), it })
  }
  return { opened: [{ name: nameOf(bough), it: own }, ...opened], absent }
}

async function openOne<T>(
  peer: Peer,
  directory: string,
  open: (peer: Peer, directory: string) => Promise<T | string>,
): Promise<T | string> {
  if (!peer.installed()) return 'not installed: "npm run bench -- --peers" brings it'
  const own = join(directory, peer.name.replaceAll(' ', '-'))
  await mkdir(own)
  return open(peer, own)
}
