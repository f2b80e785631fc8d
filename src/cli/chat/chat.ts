import type { Bough } from '../../bough.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { failureOf } from '../failure.ts'
import { Interrupt } from '../interrupt.ts'
import { LineInput } from '../line-input.ts'
import { nearest } from '../nearest.ts'
import { askForTrust, noticeOf, openTrust, tellIfUntrusted } from '../trust-words.ts'
import { act } from './act.ts'
import { chatCommands, findChatCommand } from './chat-commands.ts'
import { promptOf } from './chat-prompt.ts'
import { Elsewhere } from './elsewhere.ts'
import { followPlace } from './follow-place.ts'
import { frontEndOf } from './front-end.ts'
import { tellOpenFork } from './open-fork.ts'
import { Place } from './place.ts'
import { recallSent } from './recall-sent.ts'
import { Received } from './received.ts'
import { Screen } from './screen.ts'
import { findRunning, showRunning } from './show-running.ts'
import { Transcript } from './transcript.ts'
import { waitForRuns } from './wait-for-runs.ts'

// The chat, line by line, in a channel: what is typed goes to the fork that is open there, else to its main.
//
//   prompt --a line--> turn --its end--> prompt          Ctrl-C in a turn interrupts it
//   prompt --/command--> prompt, perhaps in another session, or in another channel
//   prompt --/quit, Ctrl-D, end of input, SIGTERM--> over
//
// What comes in by itself (a message of a run, the end of a fork) is shown above the prompt, and changes nothing else.

/** Where the chat is, and what it can reach. */
export interface Chat {
  readonly context: Context
  readonly bough: Bough
  readonly input: LineInput
  readonly screen: Screen
  readonly place: Place
  readonly transcript: Transcript
  readonly received: Received
  readonly elsewhere: Elsewhere
}

/** Talks in a session until the person quits or the input ends. */
export async function chat(context: Context, bough: Bough, session: Session): Promise<ExitCode> {
  const { stdin, out, err } = context
  const input = LineInput.open(stdin, out.stream)
  const ending = Interrupt.listen(['SIGTERM', 'SIGHUP'])
  ending.signal.addEventListener('abort', () => input.close())
  try {
    const screen = new Screen(input, out, err)
    const transcript = await Transcript.open(bough, screen, out.paint, session)
    const place = await Place.of(bough, session)
    const hint = 'Type to send. /fork opens a side conversation, /help lists the rest, /quit ends.'
    screen.print(out.paint('dim', hint))
    const [received, elsewhere] = [new Received(), new Elsewhere(bough)]
    await converse({ context, bough, input, screen, place, transcript, received, elsewhere }, ending.signal)
    return ending.exitCode ?? 0
  } finally {
    ending.stop()
    input.close()
  }
}

async function converse(chat: Chat, ending: AbortSignal): Promise<void> {
  try {
    await recallSent(chat)
    await tellOpenFork(chat)
    const running = await findRunning(chat, chat.transcript.session.id)
    await chat.place.attend(frontEndOf(chat))
    await showRunning(chat, running, ending)
    if (ending.aborted) return
    await offerTrust(chat, ending)
    await readLines(chat, ending)
    if (!ending.aborted) await waitForRuns(chat, (line) => chat.screen.print(line))
  } finally {
    await chat.place.leave()
  }
}

// Asked once: whatever the answer, the chat goes on.
async function offerTrust({ context, bough, input, transcript }: Chat, signal: AbortSignal): Promise<void> {
  const { session } = transcript
  const trust = await openTrust(bough, session)
  if (!trust) return
  if (!context.interactive) return tellIfUntrusted(context, bough, session)
  const stop = new AbortController()
  const options = { signal: AbortSignal.any([signal, stop.signal]), onInterrupt: () => stop.abort() }
  const ask = async (question: string) => (await input.ask(question, options)) ?? ''
  const isTrusted = await askForTrust(context, bough, session.directory, trust, ask)
  context.err.line(
    `bough: ${isTrusted ? 'trusted; its settings load with your next prompt.' : noticeOf(trust)}`,
  )
}

// Lines that a pipe has brought already are not sent after a signal to end.
async function readLines(chat: Chat, ending: AbortSignal): Promise<void> {
  const { context, bough, input, screen, transcript } = chat
  while (!context.out.closed && !ending.aborted) {
    await screen.settled()
    await followPlace(chat)
    await transcript.catchUp()
    const line = await input.next(promptOf(context, transcript.session), {
      onInterrupt: () => sayHowToQuit(chat),
      onTyping: (firstKey) => {
        if (firstKey !== '/') void bough.warm(transcript.session.id)
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
    if (!line.startsWith('/') || line.includes('\n')) await act(chat, { kind: 'message', text: line })
    else {
      const [, name = '', argument = ''] = /^\/\s*(\S*)\s*(.*)$/.exec(line) ?? []
      const command = findChatCommand(name)
      if (command) return (await command.run(chat, argument.trim())) ?? 'stay'
      context.out.line(`There is no command "/${plainLine(name)}"; nothing was sent. ${hintFor(name)}`)
    }
  } catch (error) {
    context.err.line(failureOf(error, context.env).line)
  }
  return 'stay'
}

function hintFor(name: string): string {
  const meant = nearest(
    name,
    chatCommands.map((command) => command.name),
  )
  return `${meant ? `Did you mean /${meant}? ` : ''}/help lists the commands.`
}

function sayHowToQuit({ context, input }: Chat): void {
  context.out.line('\nTo quit: /quit or Ctrl-D.')
  input.again()
}
