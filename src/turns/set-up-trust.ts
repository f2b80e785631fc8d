import { resolve, sep } from 'node:path'
import { partOf, textAt } from '../agents/shipped-files.ts'
import type { ProjectPart } from '../tree/directory-trust.ts'
import type { Clock } from '../tree/ids.ts'
import type { TrustRecords } from '../trust-records.ts'

/**
 * The scripts of a project that the person's set-up command runs. An agent could change one and have it run with the next
 * worktree. So a changed script runs only after the person has approved it; what they are at the first set-up is taken as known.
 */
export class SetUpTrust {
  readonly #command: string | null
  readonly #records: TrustRecords
  readonly #clock: Clock

  constructor(command: string | null, records: TrustRecords, clock: Clock) {
    this.#command = command
    this.#records = records
    this.#clock = clock
  }

  /** Those in a work tree; none as long as no set-up has run for this repository. */
  partsIn(
    root: string,
    repository: string | null,
  ): readonly (ProjectPart & { readonly approved: boolean })[] {
    const known = repository && this.#records.get(this.#nameFor(repository))
    if (!known) return []
    return this.#scriptsIn(root).map((part) => ({ ...part, approved: known.parts.includes(part.id) }))
  }

  /** Scripts in a new work tree that keep the set-up from running there. At the first set-up there are none. */
  async changedIn(root: string, repository: string): Promise<readonly string[]> {
    if (!this.#records.get(this.#nameFor(repository))) {
      const seen = this.#scriptsIn(root).map(({ id }) => id)
      await this.approve(root, repository, seen)
    }
    const unknown = this.partsIn(root, repository).filter(({ approved }) => !approved)
    return unknown.map(({ file }) => file)
  }

  async approve(root: string, repository: string, seen: readonly string[]): Promise<void> {
    const name = this.#nameFor(repository)
    const parts = [...new Set([...(this.#records.get(name)?.parts ?? []), ...seen])]
    await this.#records.put({ name, root, granted: this.#clock(), parts })
  }

  // Another command is another thing to know: only the person can have set it.
  #nameFor(repository: string): string {
    return `${this.#command} ${repository}`
  }

  // Every word of the command that names a file in the project.
  #scriptsIn(root: string): readonly ProjectPart[] {
    const words = new Set((this.#command ?? '').split(/[\s;&|()<>'"`]+/))
    return [...words].flatMap((word) => {
      const path = resolve(root, word)
      const text = path.startsWith(root + sep) ? textAt(path) : ''
      if (text === '') return []
      const detail = this.#command ?? ''
      return [partOf(root, path, { agent: 'bough', kind: 'helper', name: 'worktree.setup', detail }, text)]
    })
  }
}
