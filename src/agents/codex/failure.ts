import * as z from 'zod/mini'
import { sentence } from '../../tree/text.ts'
import type { TurnError } from './protocol.ts'

/** Why a turn failed, for a person: what was said, and what to do about it. */
export function failureOf(error: TurnError | null | undefined): string {
  if (!error) return 'Codex could not finish, and did not say why. Try again.'
  const { name, status } = kindOf(error)
  return `${wordsOf(error)} ${adviceFor(name) ?? adviceForStatus(status) ?? tryAgain}`
}

/** What to tell meanwhile when Codex tries once more; it counts in the message: "Reconnecting... 1/5". */
export function retryNotice({ message, additionalDetails }: TurnError): string {
  const count = /\d+\/\d+/.exec(message)?.[0]
  return `${inPlainWords(additionalDetails ?? message)} Codex tries again${count ? ` (${count})` : ''}.`
}

const wordsOf = ({ message, additionalDetails }: TurnError): string =>
  [message, ...(additionalDetails ? [additionalDetails] : [])].map(inPlainWords).join(' ')

function inPlainWords(text: string): string {
  const [, status, body] = /^unexpected status (\d+[^:,]*)(?:: (.*?))?(?:, url: .*)?$/s.exec(text) ?? []
  if (status !== undefined) return sentence(`The model API answered ${status}${body ? `: ${body}` : ''}`)
  const [, last] = /^exceeded retry limit, last status: ([^,]*)/.exec(text) ?? []
  if (last !== undefined) return sentence(`The model API answered ${last}`)
  const [, why] = /^stream disconnected before completion: (.*)$/s.exec(text) ?? []
  if (why !== undefined) return sentence(`The answer of the model broke off: ${why}`)
  return sentence(refusalIn(text)?.message ?? text)
}

const tryAgain = 'Try again.'
const waitFirst = 'Wait a little, then try again.'
const signIn = 'Sign in: codex login'
const changeIt = 'Trying the same again will not help.'

function adviceFor(name: string): string | null {
  switch (name) {
    case 'unauthorized':
      return signIn
    case 'rateLimitExceeded':
    case 'serverOverloaded':
    case 'internalServerError':
    case 'flexUnavailable':
      return waitFirst
    case 'usageLimitExceeded':
    case 'sessionBudgetExceeded':
      return 'Go on when there is a new allowance, or sign in to another account.'
    case 'contextWindowExceeded':
      return 'The conversation is too long for the model: fork it earlier.'
    case 'modelNotFound':
      return 'Choose another model.'
    case 'badRequest':
    case 'cyberPolicy':
    case 'misalignmentPolicyViolation':
      return changeIt
    default:
      return null
  }
}

function adviceForStatus(status: number | null): string | null {
  if (status === null) return null
  if (status === 401 || status === 403) return signIn
  if (status === 429 || status >= 500) return waitFirst
  return changeIt
}

interface Kind {
  readonly name: string
  readonly status: number | null
}

// Codex names the kind, or wraps the status of the HTTP answer in it.
const wrapped = z.record(z.string(), z.nullish(z.object({ httpStatusCode: z.nullish(z.number()) })))

function kindOf({ message, codexErrorInfo: info }: TurnError): Kind {
  // A request that the API refuses has no kind of its own: its message is what the API sent.
  const refusal = refusalIn(message)
  if (refusal?.code === 'context_length_exceeded') return { name: 'contextWindowExceeded', status: null }
  if (refusal) return { name: 'badRequest', status: null }
  if (typeof info === 'string') return { name: info, status: null }
  const [entry] = Object.entries(wrapped.safeParse(info).data ?? {})
  return { name: entry?.[0] ?? '', status: entry?.[1]?.httpStatusCode ?? null }
}

const refusal = z.object({ error: z.object({ message: z.string(), code: z.nullish(z.string()) }) })

function refusalIn(message: string): z.infer<typeof refusal>['error'] | null {
  if (!message.startsWith('{')) return null
  try {
    return refusal.safeParse(JSON.parse(message)).data?.error ?? null
  } catch {
    return null
  }
}
