import { type Author, authorOf, type Message, type Role } from './message.ts'

type Spoken = Pick<Message, 'role' | 'parts'>

/** Who says a message, for a person. */
export function speakerOf({ role, parts }: Spoken): string {
  const author = authorOf(parts)
  return author === null ? names[role] : authors[author]
}

const names: Readonly<Record<Role, string>> = {
  user: 'you',
  assistant: 'agent',
  tool: 'tool',
  system: 'bough',
  error: 'error',
  summary: 'summary',
}

/** Prompts that the person did not write. */
const authors: Readonly<Record<Author, string>> = {
  agent: 'prompt by an agent',
  schedule: 'scheduled prompt',
}
