import type { Content } from './session-entries.ts'

/** What a person said in an entry of the history, as they typed it; null where they said nothing. */
export function personsWords(content: Content): string | null {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const words = blocks.flatMap(({ type, text }) => (text === undefined ? `[${type}]` : (typed(text) ?? [])))
  return words.length === 0 ? null : words.join('\n')
}

/** Claude notes that a turn was interrupted in place of a prompt. */
export const isInterruption = (words: string): boolean =>
  /^\[Request interrupted by user[^\]]*\]$/.test(words)

function typed(text: string): string | null {
  if (/^\s*<command-(name|message)>/.test(text))
    return `${inTag('command-name', text)} ${inTag('command-args', text)}`.trim()
  if (/^\s*<bash-input>/.test(text)) return `!${inTag('bash-input', text)}`
  if (toolsOwn.test(text)) return null
  const words = withoutReminders(text)
  return words.trim() === '' ? null : words
}

/** What commands printed, and what Claude was told about them. */
const toolsOwn = /^\s*<(local-command-(stdout|stderr|caveat)|bash-(stdout|stderr)|task-notification)>/

const [opening, closing] = ['<system-reminder>', '</system-reminder>']

/** Reminders before or after what the person said are Claude's: in the middle they are theirs. */
function withoutReminders(text: string): string {
  if (!text.includes(opening)) return text
  let words = text
  for (let rest = words.trimStart(); rest.startsWith(opening); rest = words.trimStart()) {
    const end = rest.indexOf(closing)
    if (end < 0) break
    words = rest.slice(end + closing.length).trimStart()
  }
  for (let rest = words.trimEnd(); rest.endsWith(closing); rest = words.trimEnd()) {
    const begin = rest.lastIndexOf(opening)
    if (begin < 0) break
    words = rest.slice(0, begin).trimEnd()
  }
  return words
}

const inTag = (tag: string, text: string): string =>
  new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(text)?.[1]?.trim() ?? ''
