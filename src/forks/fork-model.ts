import type { Session } from '../tree/session.ts'

/** The model of a fork: the one that is wanted, or its parent's where they share the agent. Null leaves it to the agent. */
export function forkModel(
  parent: Pick<Session, 'agent' | 'model'>,
  { agent = parent.agent, model }: { readonly agent?: string; readonly model?: string },
): string | null {
  return model ?? (agent === parent.agent ? parent.model : null)
}
