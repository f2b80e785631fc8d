import { toJson } from '../json-text.ts'
import { authorOf, type Message, type Part, type Role } from '../message.ts'
import { plainLine, plainText } from '../plain-text.ts'
import { speakerOf } from '../speaker.ts'
import { codeBlock, codeSpan, quote } from './fences.ts'
import { standsAlone } from './stands-alone.ts'

/**
 * A message in a Markdown document: a rule, a line in bold that says who and when, and what was said and done. Not a
 * heading: the headings are those of the texts. A text that would be taken for more than itself is put in a quote.
 */
export function messageMarkdown({ id, role, status, created, parts }: Message): string {
  const facts = [
    `**${speakerIn({ role, parts })}**`,
    timeWord(created),
    ...(status === 'complete' ? [] : [status]),
    codeSpan(id),
  ]
  const body = parts.map(partMarkdown).filter((text) => text !== '')
  return ['---', facts.join(' · '), ...body].join('\n\n')
}

/** The same everywhere: whoever reads the document may live elsewhere. */
export const timeWord = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`

// Whoever reads it may be somebody else: the person is no "you".
function speakerIn(message: Pick<Message, 'role' | 'parts'>): string {
  if (authorOf(message.parts) === null) return speakers[message.role]
  const speaker = speakerOf(message)
  return speaker.charAt(0).toUpperCase() + speaker.slice(1)
}

const speakers: Readonly<Record<Role, string>> = {
  user: 'User',
  assistant: 'Agent',
  tool: 'Tool',
  system: 'bough',
  error: 'Error',
  summary: 'Summary',
}

function partMarkdown(part: Part): string {
  switch (part.type) {
    case 'text':
      return textMarkdown(part.text)
    case 'reasoning':
      return labelled('Reasoning', part.text)
    case 'context':
      return labelled('Told to the agent by bough', part.text)
    case 'notice':
      return labelled('Notice', part.text)
    case 'tool-call':
      return `Calls ${codeSpan(plainLine(part.name))}:\n\n${codeBlock(plainText(toJson(part.args)), 'json')}`
    case 'tool-result':
      return `Result of ${codeSpan(plainLine(part.name))}, exit code ${part.exitCode}:\n\n${codeBlock(plainText(part.output))}`
  }
}

function textMarkdown(text: string): string {
  const shown = plainText(text).replace(/^\n+/, '').trimEnd()
  return standsAlone(shown) ? shown : quote(shown)
}

function labelled(label: string, text: string): string {
  const shown = plainText(text).trim()
  return shown === '' ? '' : quote(`*${label}:*\n\n${shown}`)
}
