import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Agents } from '../agents/agents.ts'
import type { Driver, ProjectAccess } from '../agents/driver.ts'
import type { DirectoryTrust, ProjectPart, TrustedDirectory } from '../tree/directory-trust.ts'
import type { Clock } from '../tree/ids.ts'
import type { TrustRecord, TrustRecords } from '../trust-records.ts'
import { gitFilters } from '../workspace/git-filters.ts'
import { type TrustIdentity, trustIdentity } from '../workspace/trust-identity.ts'
import type { SetUpTrust } from './set-up-trust.ts'

interface ProjectTrustParts {
  readonly records: TrustRecords
  readonly agents: Agents
  readonly clock: Clock
  readonly setUp: SetUpTrust
}

/** Which directories the person trusts, and with which of their parts. */
export class ProjectTrust {
  readonly #parts: ProjectTrustParts

  constructor(parts: ProjectTrustParts) {
    this.#parts = parts
  }

  /** With what every agent would load there. */
  async of(directory: string): Promise<DirectoryTrust> {
    const identity = await trustIdentity(directory)
    const record = this.#recordOf(identity)
    const parts = await this.#shipped(this.#parts.agents.all, identity, directory)
    const approved = new Set(record?.parts)
    const shown = parts.map((part) => ({ ...part, approved: record !== null && approved.has(part.id) }))
    const setUp = this.#parts.setUp.partsIn(identity.root, identity.commonDirectory)
    const isWhole = [...shown, ...setUp].every((part) => part.approved)
    return {
      root: record?.root ?? identity.root,
      state: record === null ? 'untrusted' : isWhole ? 'trusted' : 'changed',
      parts: [...shown, ...setUp],
    }
  }

  /** Trusts a directory, with the parts that the person has seen; those that they approved before stay approved. */
  async grant(directory: string, seen: readonly string[]): Promise<DirectoryTrust> {
    const { records, clock } = this.#parts
    const identity = await trustIdentity(directory)
    for (const name of identity.names) {
      const parts = [...new Set([...(records.get(name)?.parts ?? []), ...seen])]
      await records.put({ name, root: identity.root, granted: clock(), parts })
    }
    const { setUp } = this.#parts
    const scripts = setUp
      .partsIn(identity.root, identity.commonDirectory)
      .filter(({ id }) => seen.includes(id))
    if (identity.commonDirectory !== null && scripts.length > 0)
      await setUp.approve(
        identity.root,
        identity.commonDirectory,
        scripts.map(({ id }) => id),
      )
    return this.of(directory)
  }

  /** Takes it back, also where trust in a parent covered the directory. */
  async revoke(directory: string): Promise<DirectoryTrust> {
    const identity = await trustIdentity(directory)
    for (let record = this.#recordOf(identity); record; record = this.#recordOf(identity))
      await this.#parts.records.remove(record.name)
    return this.of(directory)
  }

  async all(): Promise<readonly TrustedDirectory[]> {
    return (await this.#parts.records.all()).map(({ root, granted }) => ({ root, granted }))
  }

  /** What the agent of a session there may load. */
  async accessFor(driver: Driver, directory: string): Promise<ProjectAccess> {
    const identity = await trustIdentity(directory)
    const record = this.#recordOf(identity)
    const approved = record && new Set(record.parts)
    const parts = await this.#shipped([driver], identity, directory)
    const loaded = parts.filter(({ id }) => approved?.has(id)).map(({ id }) => id)
    return {
      root: identity.root,
      commonDirectory: identity.commonDirectory,
      approved,
      fingerprint: createHash('sha256')
        .update(JSON.stringify([approved !== null, loaded]))
        .digest('hex'),
      gitFilters: () => gitFilters(directory),
    }
  }

  async #shipped(
    drivers: readonly Driver[],
    { root }: TrustIdentity,
    directory: string,
  ): Promise<readonly ProjectPart[]> {
    const cwd = await realpath(directory)
    return (await Promise.all(drivers.map((driver) => driver.shipped(root, cwd)))).flat()
  }

  #recordOf({ names, inherits }: TrustIdentity): TrustRecord | null {
    const all = inherits ? names.flatMap(withParents) : names
    return all.map((name) => this.#parts.records.get(name)).find((record) => record !== null) ?? null
  }
}

const withParents = (path: string): readonly string[] =>
  dirname(path) === path ? [path] : [path, ...withParents(dirname(path))]
