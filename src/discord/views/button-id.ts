import {
  type InquiryID,
  isInquiryID,
  isPermissionID,
  isSessionID,
  type PermissionID,
  type SessionID,
} from '../../tree/ids.ts'
import type { ExitAction } from '../../tree/side-fork.ts'

/** What a button does. Its id at Discord is all that comes back with a click, and anybody could make one up. */
export type ButtonDeed =
  | { readonly kind: 'exit'; readonly action: ExitAction; readonly forkID: SessionID }
  | { readonly kind: 'put-back'; readonly forkID: SessionID }
  | { readonly kind: 'ask'; readonly inquiryID: InquiryID }
  | { readonly kind: 'answer'; readonly answer: Answer; readonly permissionID: PermissionID }
  /** `seen` stands for exactly the parts that were shown. */
  | { readonly kind: 'trust'; readonly allow: boolean; readonly seen: string }

const answers = ['once', 'session', 'always', 'every', 'deny'] as const

export type Answer = (typeof answers)[number]

export function buttonID(deed: ButtonDeed): string {
  switch (deed.kind) {
    case 'exit':
      return `exit:${deed.action}:${deed.forkID}`
    case 'put-back':
      return `put-back::${deed.forkID}`
    case 'ask':
      return `ask::${deed.inquiryID}`
    case 'answer':
      return `answer:${deed.answer}:${deed.permissionID}`
    case 'trust':
      return `trust:${deed.allow ? 'yes' : 'no'}:${deed.seen}`
  }
}

/** The deed that an id says; null for one that no button of ours has. */
export function deedOf(id: string): ButtonDeed | null {
  const [kind, how = '', subject = '', ...more] = id.split(':')
  if (more.length > 0) return null
  if (kind === 'exit' && isAction(how) && isSessionID(subject)) return { kind, action: how, forkID: subject }
  if (kind === 'put-back' && how === '' && isSessionID(subject)) return { kind, forkID: subject }
  if (kind === 'ask' && how === '' && isInquiryID(subject)) return { kind, inquiryID: subject }
  if (kind === 'answer' && isAnswer(how) && isPermissionID(subject))
    return { kind, answer: how, permissionID: subject }
  if (kind === 'trust' && (how === 'yes' || how === 'no') && /^[0-9a-f]{32}$/.test(subject))
    return { kind, allow: how === 'yes', seen: subject }
  return null
}

const isAction = (word: string): word is ExitAction => ['save', 'report', 'discard'].includes(word)
const isAnswer = (word: string): word is Answer => answers.some((answer) => answer === word)
