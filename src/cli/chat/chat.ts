import type { Bough } from '../../bough.ts'
import { shortID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'
import { cutToCells } from '../cells.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { failureOf } from '../failure.ts'
import { Interrupt } from '../interrupt.ts'
import { LineInput } from '../line-input.ts'
import { plainLine } from '../plain-text.ts'
import { chatCommands, findChatCommand } from './chat-commands.ts'
import { sendLine } from './send-line.ts'
import { Transcript } from './transcript.ts'

// The chat, line by line:
//
//   prompt --a line--> turn --its end--> prompt          Ctrl-C in a turn interrupts it
//   prompt --/command--> prompt, perhaps in another session
//   prompt --/quit, Ctrl-D, end of input, SIGTERM--> over

/** Where the chat is, and what it can reach. */
export interface Chat {
  readonly context: Context
  readonly bough: Bough
  readonly input: LineInput
  readonly transcript: Transcript
}

/** Talks in a session until the person quits or the input ends. */
export async function chat(context: Context, bough: Bough, session: Session): Promise<ExitCode> {
  const { stdin, out } = context
  const input = LineInput.open(stdin, out.stream)
  const ending = Interrupt.listen(['SIGTERM', 'SIGHUP'])
  ending.signal.addEventListener('abort', () => input.close())
  try {
    const transcript = await Transcript.open(bough, out, session)
    out.line(
      out.paint(
        'dim',
        'Type to send. /branch forks here, /tree shows where you are, /help lists the rest, /quit ends.',
      ),
    )
    await converse({ context, bough, input, transcript })
    return ending.exitCode ?? 0
  } finally {
    ending.stop()
    input.close()
  }
}

async function converse(chat: Chat): Promise<void> {
  const { context, input, transcript } = chat
  while (!context.out.closed) {
    await transcript.catchUp()
    const line = await input.next(promptOf(context, transcript.session), {
      onInterrupt: () => sayHowToQuit(chat),
      onTyping: (firstKey) => {
        if (firstKey !== '/') void chat.bough.warm(transcript.session.id)
      },
    })
    if (line === null) {
      if (context.interactive) context.out.line()
      return
    }
    if (line.trim() === '') continue
    if ((await obey(chat, line)) === 'quit') return
  }
}

// A mistake ends the line that made it, not the chat.
async function obey(chat: Chat, line: string): Promise<'stay' | 'quit'> {
  const { context } = chat
  try {
    if (!line.startsWith('/') || line.includes('\n')) await sendLine(chat, line)
    else {
      const [name = '', ...rest] = line.slice(1).trim().split(/\s+/)
      const command = findChatCommand(name)
      if (command) return (await command.run(chat, rest.join(' '))) ?? 'stay'
      const known = chatCommands.map((candidate) => `/${candidate.name}`).join(' ')
      context.out.line(`There is no command "/${plainLine(name)}"; nothing was sent. There are: ${known}`)
    }
  } catch (error) {
    context.err.line(failureOf(error, context.env).line)
  }
  return 'stay'
}

const widestTitle = 30

const promptOf = ({ out }: Context, session: Session): string =>
  `${out.paint('bold', cutToCells(plainLine(session.title), widestTitle))} ${out.paint('dim', shortID(session.id))}> `

function sayHowToQuit({ context, input }: Chat): void {
  context.out.line('\nTo quit: /quit or Ctrl-D.')
  input.again()
}
