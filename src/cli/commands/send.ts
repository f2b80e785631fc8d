import { BoughError } from '../../tree/error.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { readPrompt } from '../prompt-text.ts'
import { sendPrompt } from '../send-prompt.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, open } = context
  const text = await readPrompt(context, args.word('text'))
  const bough = await open()
  const session = await bough.findSession(args.word('session'))
  const [agent, model] = [args.value('agent'), args.value('model')]
  if (agent !== undefined && agent !== session.agent) {
    throw new BoughError(
      'bad_input',
      `This session talks to ${session.agent}. To talk to ${agent}, begin one: bough new --agent ${agent}`,
    )
  }
  if (model !== undefined) await bough.change(session.id, { model })
  const json = args.flag('json')
  const { messages, exitCode } = await sendPrompt(context, bough, session, text, { silent: json })
  if (json) printJson(out, messages)
  return exitCode
}
