import type { ApprovalScope, Permission } from '../../tree/permission.ts'
import { visibleText } from '../../tree/plain-text.ts'
import type { ActionName } from '../keys/actions.ts'

export interface Answer {
  readonly action: ActionName
  readonly label: string
  readonly allow: boolean
  readonly scope: ApprovalScope
}

const actionOf: Readonly<Record<ApprovalScope, ActionName>> = {
  call: 'approval.allow',
  session: 'approval.allowSession',
  always: 'approval.allowAlways',
  tool: 'approval.allowEvery',
}

/** What can be answered: the two answers to this call, then those that reach further. */
export function answersTo({ offers }: Permission): readonly Answer[] {
  const [call, ...wider] = offers.map(({ scope, words }): Answer => {
    return { action: actionOf[scope], label: `Allow ${visibleText(words)}`, allow: true, scope }
  })
  const deny: Answer = { action: 'approval.deny', label: 'Deny', allow: false, scope: 'call' }
  return [...(call ? [call] : []), deny, ...wider]
}
