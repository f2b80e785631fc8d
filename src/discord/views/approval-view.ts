import { literal } from '../../tree/document/fences.ts'
import type { Permission } from '../../tree/permission.ts'
import { visibleText } from '../../tree/plain-text.ts'
import type { Button, Content } from '../port.ts'
import { type Answer, buttonID } from './button-id.ts'
import { codeBlock } from './code-block.ts'

const longestDetail = 3000
const amber = 0xf1c40f

const answers = [
  { answer: 'once', label: 'Allow once', look: 'good' },
  { answer: 'session', label: 'Allow for this session', look: 'main' },
  { answer: 'deny', label: 'Deny', look: 'bad' },
] as const satisfies readonly { answer: Answer; label: string; look: Button['look'] }[]

/** What an agent asks, with its three answers; once it is over, how, and no answer can be given. */
export function approvalOf(permission: Permission, outcome?: string): Content {
  const { id: permissionID, tool, detail, caution } = permission
  return {
    card: {
      title: outcome ?? 'May the agent do this?',
      body: `**${literal(visibleText(tool))}**\n${codeBlock(visibleText(detail), longestDetail)}${caution === null ? '' : `\n**${literal(visibleText(caution))}**`}`,
      colour: amber,
    },
    buttons: answers.map(({ answer, label, look }) => ({
      id: buttonID({ kind: 'answer', answer, permissionID }),
      label,
      look,
      ...(outcome !== undefined && { isOff: true }),
    })),
  }
}

export const overWords = 'Answered elsewhere, or nobody did in time'

/** Of one whose question is not known any more. */
export const answeredLongAgo: Content = {
  card: { title: overWords, body: 'Nothing is asked here any more.', colour: amber },
}

export const outcomes: Readonly<Record<Answer, string>> = {
  once: 'Allowed once',
  session: 'Allowed for this session',
  deny: 'Denied',
}
