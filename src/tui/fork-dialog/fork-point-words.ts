import { plainLine } from '../../tree/plain-text.ts'
import type { DialogView } from './dialog-rows.ts'

const longest = 40

/** Where the fork begins: which message, its first words, and on which side of it. */
export function forkPointWords({
  tab: { conversation },
  beginning,
  facts,
}: Pick<DialogView, 'tab' | 'beginning' | 'facts'>): string {
  const { newest, entries } = conversation
  const found = entries.find(({ key }) => key === beginning?.messageID)
  const message = found?.kind === 'message' ? found.message : beginning ? null : newest
  if (!message && !beginning) return 'the beginning: nothing was said yet'
  const side = beginning?.before ? 'right before' : 'right after'
  const counted = facts?.status.ok ? facts.status.value.messages + (beginning?.before ? 1 : 0) : null
  const number = counted === null ? 'message' : `message ${counted}`
  const head = beginning ? '' : ', the newest'
  const words = message ? firstWords(message.text) : ''
  return `${side} ${number}${head}${words === '' ? '' : `: “${words}”`}`
}

function firstWords(text: string): string {
  const line = plainLine(text.slice(0, 10 * longest))
  return [...line].length <= longest ? line : `${[...line].slice(0, longest).join('')}…`
}
