import type { Bough } from '../../bough.ts'
import type { ForkContext } from '../../tree/fork-seed.ts'
import type { Session } from '../../tree/session.ts'
import type { SessionStatus } from '../../tree/session-status.ts'
import type { Beginning } from '../backtrack/look-back.ts'
import type { Tone } from '../screen/theme.ts'
import { type FileChoice, readFileChoices } from './file-choices.ts'
import { fullnessOf } from './fullness.ts'
import { type Known, known } from './known.ts'
import { dirtyWords } from './uncommitted-words.ts'
import { pointOf, targetOf, type Wish } from './wish.ts'

/** What the dialog shows of a fork that is not made yet. */
export interface Facts {
  /** Whom they are about. */
  readonly agent: string
  /** A turn runs in the session, in whichever process. */
  readonly isRunning: boolean
  readonly status: Known<SessionStatus>
  readonly context: Known<ForkContext>
  readonly choices: readonly FileChoice[]
}

/** Never rejects: what cannot be told says so in its place. */
export async function readFacts(
  bough: Bough,
  session: Session,
  beginning: Beginning | null,
  wish: Wish,
): Promise<Facts> {
  const asked = { ...pointOf(beginning), ...targetOf(session, wish) }
  const status = known(bough.status(session.id, asked))
  const [now, context, choices] = await Promise.all([
    known(bough.session(session.id)),
    known(bough.forkContext(session.id, asked)),
    status.then((found) => known(readFileChoices(bough, session, beginning, found))),
  ])
  return {
    agent: wish.agent,
    isRunning: now.ok && now.value.state === 'running',
    status: await status,
    context,
    choices: choices.ok ? choices.value : [],
  }
}

/** What the person should think about before they fork. */
export function warningsOf({ agent, status, context }: Facts): readonly Warning[] {
  if (!status.ok) return []
  const { git } = status.value
  const { warning, tone } = fullnessOf(status.value, context.ok ? context.value : null, agent)
  return [
    ...(warning === null ? [] : [{ about: 'context' as const, text: warning, tone }]),
    ...(git && git.dirty !== 0
      ? [{ about: 'workspace' as const, text: dirtyWords(git.dirty), tone: 'warning' as const }]
      : []),
  ]
}

export interface Warning {
  readonly about: 'context' | 'workspace'
  readonly text: string
  readonly tone: Tone
}
