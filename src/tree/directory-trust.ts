// Whether a person trusts a directory, and what an agent would load and run of it.

/** Something that a project ships and that an agent would load: a hook, a server, a skill. */
export interface ProjectPart {
  /** The hash of its text: another text is another part. */
  readonly id: string
  readonly agent: string
  readonly kind: 'hook' | 'server' | 'helper' | 'setting' | 'subagent' | 'command' | 'skill' | 'file'
  readonly name: string
  /** The command line, where it has one. */
  readonly detail: string
  /** Where it stands, below the project's top. */
  readonly file: string
}

export interface DirectoryTrust {
  /** What is trusted as a whole: the top of a work tree, which stands for all of them, or a plain directory. */
  readonly root: string
  /** `changed`: the directory is trusted, but parts of it are new since. Those stay unloaded. */
  readonly state: 'untrusted' | 'changed' | 'trusted'
  readonly parts: readonly (ProjectPart & { readonly approved: boolean })[]
}

/** A directory that this machine trusts. */
export interface TrustedDirectory {
  readonly root: string
  readonly granted: number
}

/** Without such parts there is nothing to ask: trust would change nothing. */
export const unapproved = ({ parts }: DirectoryTrust): DirectoryTrust['parts'] =>
  parts.filter(({ approved }) => !approved)

/** For a list: one line a part. */
export function partLine({ agent, kind, name, detail, file }: ProjectPart): string {
  const what = detail === '' ? '' : `: ${detail}`
  return `${agent} ${kind} ${name} (${file})${what}`
}

/** Those of them that one agent would load. The offline agent has none: its sessions need no trust. */
export const waitingFor = (trust: DirectoryTrust, agent: string): DirectoryTrust['parts'] =>
  unapproved(trust).filter((part) => part.agent === agent)
