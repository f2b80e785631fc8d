import type { Bough } from '../../bough.ts'
import { forkWords } from '../../tree/drawn/fork-words.ts'
import type { Reset, TreeEvent } from '../../tree/event.ts'
import { type SessionID, shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import { untilSeen } from '../comeback/until-seen.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { Interrupt } from '../interrupt.ts'

/** Until a signal comes, or nothing is left to do: that is how it is meant to end, so either is fine. */
export async function run(context: Context): Promise<ExitCode> {
  const { args, out, home, open } = context
  if (context.server !== null) {
    await open()
    out.line(`The server at ${context.server} keeps time itself. There is nothing to do here.`)
    return 0
  }
  const untilIdle = args.flag('until-idle')
  const interrupt = Interrupt.listen()
  const bough = await open()
  const said = new Map<SessionID, string>()
  try {
    const idle = new AbortController()
    await bough.keepTime(untilIdle ? { onIdle: () => idle.abort() } : {})
    out.line(`bough keeps time for ${home.data}.${untilIdle ? '' : ' Ctrl-C ends it.'}`)
    const signal = AbortSignal.any([interrupt.signal, idle.signal])
    await untilSeen(bough, signal, async (event) => {
      const words = event && (await happened(bough, said, event))
      if (words) out.line(`${new Date().toTimeString().slice(0, 8)}  ${words}`)
      return null
    })
    return 0
  } finally {
    interrupt.stop()
  }
}

/** What there is to say of a change; null for one that is nobody's business, or was said before. */
async function happened(
  bough: Bough,
  said: Map<SessionID, string>,
  event: TreeEvent | Reset,
): Promise<string | null> {
  switch (event.kind) {
    case 'fork.entered':
    case 'fork.changed':
    case 'fork.ended': {
      const fork = await bough.sideFork(event.sessionID)
      if (!fork) return null
      const words = forkWords(fork)
      if (said.get(fork.sessionID) === words) return null
      said.set(fork.sessionID, words)
      return `${shortID(fork.sessionID)}  ${words}  ${aboutOf(fork)}`
    }
    case 'update.added':
      return `${shortID(event.sessionID)}  reported to the main conversation`
    case 'main.moved':
      return `${shortID(event.sessionID)}  is the main conversation now`
    case 'permission.asked':
      return `${shortID(event.sessionID)}  asks for an approval: bough approve ${shortID(event.subjectID)}`
    default:
      return null
  }
}

const aboutOf = ({ topic, prompt }: SideFork): string => plainLine(topic ?? prompt ?? 'open session')
