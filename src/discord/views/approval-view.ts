import { literal } from '../../tree/document/fences.ts'
import { type ApprovalScope, approvalScopes, offerOf, type Permission } from '../../tree/permission.ts'
import { visibleText } from '../../tree/plain-text.ts'
import type { Button, Content } from '../port.ts'
import { type Answer, buttonID } from './button-id.ts'
import { codeBlock } from './code-block.ts'
import { cutTo, limits } from './limits.ts'

const longestDetail = 3000
const amber = 0xf1c40f

const answerOf: Readonly<Record<ApprovalScope, Answer>> = {
  call: 'once',
  session: 'session',
  always: 'always',
  tool: 'every',
}

/** How far an answer reaches; null for a no. */
export const scopeOf = (answer: Answer): ApprovalScope | null =>
  approvalScopes.find((scope) => answerOf[scope] === answer) ?? null

interface Choice {
  readonly answer: Answer
  readonly label: string
  readonly look: Button['look']
}

const choicesIn = ({ offers }: Permission): readonly Choice[] => [
  ...offers.map(({ scope, words }): Choice => {
    const look = scope === 'call' ? 'good' : 'main'
    return { answer: answerOf[scope], label: cutTo(`Allow ${visibleText(words)}`, limits.buttonLabel), look }
  }),
  { answer: 'deny', label: 'Deny', look: 'bad' },
]

/** What an agent asks, with its three answers; once it is over, how, and no answer can be given. */
export function approvalOf(permission: Permission, outcome?: string): Content {
  const { id: permissionID, tool, detail, caution } = permission
  return {
    card: {
      title: outcome ?? 'May the agent do this?',
      body: `**${literal(visibleText(tool))}**\n${codeBlock(visibleText(detail), longestDetail)}${caution === null ? '' : `\n**${literal(visibleText(caution))}**`}`,
      colour: amber,
    },
    buttons: choicesIn(permission).map(({ answer, label, look }) => ({
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

/** What it was answered with. */
export const outcomeOf = ({ state, scope, offers }: Permission): string =>
  state === 'denied' ? 'Denied' : `Allowed ${visibleText(offerOf({ offers }, scope)?.words ?? 'once')}`
