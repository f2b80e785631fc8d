import { noPaint } from '../../tree/drawn/paint.ts'
import { drawSchedule } from '../../tree/drawn/schedule-list.ts'
import { drawSessions } from '../../tree/drawn/session-table.ts'
import { drawTree } from '../../tree/drawn/tree-picture.ts'
import { drawUpdates } from '../../tree/drawn/update-list.ts'
import type { Content, SlashCommand } from '../port.ts'
import { longestMessage } from '../stream/split.ts'
import { codeBlock } from '../views/code-block.ts'
import type { Desk } from './desk.ts'

const shownSessions = 20
const shownRuns = 3
/** What fits beside each other in Discord's own window. */
const columns = 84

export async function tree({ bough, channel }: Desk, given: SlashCommand): Promise<void> {
  const { mainID, openForkID } = await channel()
  const currentID = openForkID ?? mainID
  const rows = await bough.tree(mainID)
  await given.show(listed('tree.txt', drawTree(rows, { ...look(), currentID })))
}

export async function sessions({ bough }: Desk, given: SlashCommand): Promise<void> {
  const found = await bough.sessions({ limit: shownSessions })
  await given.show(listed('sessions.txt', drawSessions(found, look())))
}

export async function updates({ bough, channel }: Desk, given: SlashCommand): Promise<void> {
  const waiting = await bough.updates((await channel()).id)
  if (waiting.length === 0)
    await given.tell('Nothing waits: the main conversation knows all that was reported.')
  else await given.show(listed('updates.txt', drawUpdates(waiting, look())))
}

export async function routines({ bough, channel }: Desk, given: SlashCommand): Promise<void> {
  const schedules = await bough.schedules((await channel()).id)
  if (schedules.length === 0)
    return given.tell('No routines or reminders yet. Ask the agent for one, or use "bough routine add".')
  const lines: string[] = []
  for (const schedule of schedules)
    lines.push(...drawSchedule(schedule, await bough.scheduleRuns(schedule.id, shownRuns), look()))
  await given.show(listed('routines.txt', lines))
}

const look = () => ({ now: Date.now(), columns, paint: noPaint })

/** Lines as they stand; what is too long for a message comes as a file. */
function listed(name: string, lines: readonly string[]): Content {
  const text = lines.join('\n')
  const block = codeBlock(text)
  return block.length <= longestMessage ? { text: block } : { file: { name, text } }
}
