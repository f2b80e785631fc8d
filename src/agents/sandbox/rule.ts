/**
 * What a sandboxed program may do with a path and all below it. The deepest rule decides; of two rules for one path, the later.
 * `hidden` looks empty, `scratch` is an empty directory of the sandbox's own that goes with it.
 */
export type Access = 'hidden' | 'scratch' | 'read' | 'write'

export interface Rule {
  /** Absolute. */
  readonly path: string
  readonly access: Access
}

/** A rule for a path that exists, links followed. */
export interface RealRule extends Rule {
  readonly isDirectory: boolean
}

/** What a sandbox lets its program do. */
export interface Confinement {
  /** Ancestors before what lies below them, one rule per path. Whatever no rule covers can be read. */
  readonly rules: readonly RealRule[]
  readonly cwd: string
  /** An empty directory for temporary files. */
  readonly temporary: string
  /** Whether it shares the machine's network, or has only a loopback of its own. */
  readonly network: 'shared' | 'own'
}
