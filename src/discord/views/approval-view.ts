import { literal } from '../../tree/document/fences.ts'
import { type ApprovalScope, approvalScopes, offerOf, type Permission } from '../../tree/permission.ts'
import { visibleText } from '../../tree/plain-text.ts'
import type { Button, Content } from '../port.ts'
import { type Answer, buttonID } from './button-id.ts'
import { cutTo, limits } from './limits.ts'
import { questionParts } from './question-parts.ts'

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

/** The answers that can be given here: no approval, where not all of the question is shown. */
function choicesIn(permission: Permission): readonly Choice[] {
  const offers = questionParts(permission).isTooLong ? [] : permission.offers
  return [
    ...offers.map(({ scope, words }): Choice => {
      const look = scope === 'call' ? 'good' : 'main'
      return { answer: answerOf[scope], label: `Allow ${visibleText(words)}`, look }
    }),
    { answer: 'deny', label: 'Deny', look: 'bad' },
  ]
}

export const isOffered = (permission: Permission, answer: Answer): boolean =>
  choicesIn(permission).some((choice) => choice.answer === answer)

/** What an agent asks, or the last part of it, with its answers; once it is over, how, and no answer can be given. */
export function approvalOf(permission: Permission, outcome?: string): Content {
  const choices = choicesIn(permission)
  const cutOff = choices.filter(({ label }) => label.length > limits.buttonLabel)
  return {
    card: {
      title: cutTo(outcome ?? 'May the agent do this?', limits.cardTitle),
      body: [questionParts(permission).last, ...cutOff.map(({ label }) => literal(label))].join('\n'),
      colour: amber,
    },
    buttons: choices.map(({ answer, label, look }) => ({
      id: buttonID({ kind: 'answer', answer, permissionID: permission.id }),
      label: cutTo(label, limits.buttonLabel),
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
