import { literal } from '../../tree/document/fences.ts'
import { hasCode } from '../../tree/error.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { type ExitAction, noEndingWords } from '../../tree/side-fork.ts'
import type { SlashCommand } from '../port.ts'
import type { Desk } from './desk.ts'

export async function fork({ say }: Desk, given: SlashCommand): Promise<void> {
  const { argument } = given
  await say({ kind: 'fork', ...(argument !== null && { topic: argument }) }, given)
  await given.done()
}

export const endFork =
  (action: ExitAction) =>
  async ({ bough, channel, say }: Desk, given: SlashCommand): Promise<void> => {
    const { openForkID, mainID } = await channel()
    if (openForkID === null) {
      const main = await bough.session(mainID)
      return given.tell(
        main.kind === 'branch' ? literal(noEndingWords(main)) : 'No fork is open. /fork opens one.',
      )
    }
    await say({ kind: 'exit', action, forkID: openForkID }, given)
    await given.done()
  }

export async function interrupt({ bough, channel }: Desk, given: SlashCommand): Promise<void> {
  const { openForkID, mainID } = await channel()
  const isStopped = await bough.abort(openForkID ?? mainID)
  await given.tell(isStopped ? 'The agent was told to stop.' : 'No turn is running.')
}

export async function open({ bough, channel }: Desk, given: SlashCommand): Promise<void> {
  const { id } = await channel()
  const typed = given.argument ?? ''
  const session = await bough.findSession(typed).catch((error) => {
    if (!hasCode(error, 'not_found')) throw error
    return null
  })
  if (!session) return given.tell(`There is no session ${plainLine(typed)}. /sessions shows the newest.`)
  await bough.promote(id, session.id)
  await given.tell(`“${literal(plainLine(session.title))}” is the main conversation here now.`)
}
