import { shortID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'
import { type Address, findAddress } from '../address.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { readPrompt } from '../prompt-text.ts'
import { sendPrompt } from '../send-prompt.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, open } = context
  const [title, agent, model, prompt] = ['title', 'agent', 'model', 'prompt'].map((name) => args.value(name))
  const text = prompt === undefined ? null : await readPrompt(context, prompt)
  const json = args.flag('json')

  const bough = await open()
  const address = await findAddress(bough, args.word('session'))
  const fork = await bough.fork(address.session.id, {
    ...(address.message && { messageID: address.message.id }),
    before: args.flag('before'),
    ...(title !== undefined && { title }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
  })
  const moved = args.flag('before') ? null : movedPoint(address, fork)
  if (moved) err.line(`bough: the fork begins at ${moved}: a tool call and its results stay together.`)

  if (!json) out.line(fork.id)
  if (text === null) {
    if (json) printJson(out, fork)
    return 0
  }
  const { messages, exitCode } = await sendPrompt(context, bough, fork, text, { silent: json })
  if (json) printJson(out, { session: await bough.session(fork.id), messages })
  return exitCode
}

const movedPoint = ({ message }: Address, fork: Session): string | null =>
  message && fork.forkPoint && fork.forkPoint !== message.id ? shortID(fork.forkPoint) : null
