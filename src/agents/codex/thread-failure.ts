import { BoughError, messageOf } from '../../tree/error.ts'

export const sessionIsGone = 'Codex does not have this session any more: its file is gone.'

/** Why Codex cannot open or read a thread, in plain words and with a code, where its own are known. */
export function threadFailure(cause: unknown): unknown {
  const words = messageOf(cause)
  const kind = kinds.find(({ pattern }) => pattern.test(words))
  return kind ? new BoughError(kind.code, kind.message, { cause }) : cause
}

const kinds = [
  {
    pattern: /already has an active writer/,
    code: 'agent_failed',
    message: 'This Codex session is in use by another program. Close it there, then try again.',
  },
  {
    pattern: /no rollout found|thread not loaded|missing source rollout|invalid (thread|session) id/,
    code: 'native_missing',
    message: sessionIsGone,
  },
  {
    pattern: /turn not found/,
    code: 'native_missing',
    message: 'Codex does not have this turn any more: the session was rewound to before it.',
  },
  {
    pattern: /history lineage|thread-store internal error|failed to (read|load|list) thread/,
    code: 'native_unreadable',
    message: 'Codex has this session, but cannot read it: its file is damaged.',
  },
] as const
