import type { Message } from '../message.ts'
import { plainLine } from '../plain-text.ts'
import type { Session } from '../session.ts'
import { codeSpan, literal } from './fences.ts'
import { messageMarkdown, timeWord } from './message-markdown.ts'

/** A session as a Markdown document, in pieces. */
export async function* markdownDocument(
  session: Session,
  messages: AsyncIterable<Message>,
): AsyncIterable<string> {
  yield `# ${literal(plainLine(session.title))}\n\n${factsOf(session).join('\n')}\n`
  for await (const message of messages) yield `\n${messageMarkdown(message)}\n`
}

const factsOf = ({ id, parentID, agent, model, directory, labels, created, updated }: Session): string[] => [
  `- Agent: ${literal(plainLine(agent))}${model === null ? '' : `, model ${literal(plainLine(model))}`}`,
  `- Directory: ${codeSpan(plainLine(directory))}`,
  ...(labels.length > 0 ? [`- Labels: ${labels.map((label) => codeSpan(plainLine(label))).join(', ')}`] : []),
  `- Begun: ${timeWord(created)}`,
  `- Last changed: ${timeWord(updated)}`,
  `- Session: ${codeSpan(id)}`,
  ...(parentID === null ? [] : [`- Fork of: ${codeSpan(parentID)}`]),
]
