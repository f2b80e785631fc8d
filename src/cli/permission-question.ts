import type { Bough } from '../bough.ts'
import { readConfig } from '../config.ts'
import { hasCode } from '../tree/error.ts'
import { shortID } from '../tree/ids.ts'
import type { Permission } from '../tree/permission.ts'
import { permissionWords } from '../tree/permission-words.ts'
import type { Context } from './context.ts'
import type { Output } from './output.ts'

/** Deals with something that an agent asks, until it is answered or the signal says that it no longer matters. */
export type Asker = (permission: Permission, signal: AbortSignal) => Promise<void>

/** Puts a question to the person; null when there is no answer to come. */
export type Question = (text: string, signal: AbortSignal) => Promise<string | null>

type Told = Pick<Output, 'line' | 'paint'>

/** Where nobody can be asked: says how to answer from elsewhere, and how long the turn waits. */
export function announce(context: Pick<Context, 'err' | 'home' | 'server'>): Asker {
  return async (permission) => {
    const id = shortID(permission.id)
    const limit = await limitWords(context, permission)
    context.err.line(
      `bough: the agent asks to ${permissionWords(permission)}. Allow: bough approve ${id}   Deny: bough approve ${id} --deny${limit}`,
    )
  }
}

// How long a server waits is its own affair, and not known here.
async function limitWords(
  { home, server }: Pick<Context, 'home' | 'server'>,
  { asked }: Permission,
): Promise<string> {
  if (server !== null) return ''
  const { timeout } = (await readConfig(home)).permissions
  const seconds = Math.max(1, timeout - Math.floor((Date.now() - asked) / 1000))
  const minutes = Math.round(seconds / 60)
  const left =
    seconds < 60
      ? `${seconds} second${seconds === 1 ? '' : 's'}`
      : `${minutes} minute${minutes === 1 ? '' : 's'}`
  return `   Unanswered, it is denied in ${left}.`
}

/** Asks the person at the terminal. Whoever answers first, here or elsewhere, has answered. */
export function askPerson(bough: Pick<Bough, 'events' | 'answer'>, err: Told, question: Question): Asker {
  return async (permission, turnOver) => {
    const answered = new AbortController()
    const signal = AbortSignal.any([turnOver, answered.signal])
    const watching = watchAnswer(bough, permission, signal, () => answered.abort())
    // Where it fails, the question stands all the same, and that is told after it.
    watching.catch(() => {})
    try {
      err.line(err.paint('yellow', `The agent asks to ${permissionWords(permission)}`))
      const choice = await choose(question, signal)
      if (choice) await answer(bough, err, permission, choice)
      else err.line(answered.signal.aborted ? 'Answered elsewhere.' : '')
    } finally {
      answered.abort()
    }
    await watching
  }
}

type Choice = { readonly allow: boolean; readonly scope: 'call' | 'session' }

const choices: Readonly<Record<string, Choice>> = {
  y: { allow: true, scope: 'call' },
  yes: { allow: true, scope: 'call' },
  n: { allow: false, scope: 'call' },
  no: { allow: false, scope: 'call' },
  a: { allow: true, scope: 'session' },
  always: { allow: true, scope: 'session' },
}

// Anything but a clear answer is asked again: a line typed ahead must not allow something by accident.
async function choose(question: Question, signal: AbortSignal): Promise<Choice | null> {
  while (!signal.aborted) {
    const text = await question('Allow it? y(es) n(o) a(lways in this session): ', signal)
    if (text === null) return null
    const choice = choices[text.trim().toLowerCase()]
    if (choice) return choice
  }
  return null
}

async function answer(
  bough: Pick<Bough, 'answer'>,
  err: Told,
  permission: Permission,
  choice: Choice,
): Promise<void> {
  try {
    await bough.answer(permission.id, choice)
  } catch (error) {
    if (!hasCode(error, 'permission_answered')) throw error
    err.line('Answered elsewhere.')
  }
}

async function watchAnswer(
  bough: Pick<Bough, 'events'>,
  { id }: Permission,
  signal: AbortSignal,
  onAnswer: () => void,
): Promise<void> {
  for await (const event of bough.events({ signal })) {
    if (event.kind === 'permission.answered' && event.subjectID === id) onAnswer()
  }
}
