import type { Tool } from '../agents/driver.ts'
import { askForFork, askForRun, askToExit, askToSend, narrowed } from '../forks/side/asked-by-agent.ts'
import { channelOfTurn } from '../forks/side/channel-of.ts'
import type { Channels } from '../forks/side/channels.ts'
import { addReminder, addRoutine, cancelSchedule, type ScheduleParts } from '../routines/schedules.ts'
import { findSchedule } from '../store/find.ts'
import { BoughError } from '../tree/error.ts'
import type { ReminderDraft } from '../tree/schedule.ts'
import type { Caller } from '../turns/connect.ts'
import { toolsOfRun } from '../turns/permissions.ts'
import { forkTools } from './fork-tools.ts'
import { messageTools } from './message-tools.ts'
import { scheduleTools } from './schedule-tools.ts'

export interface OwnToolParts extends ScheduleParts {
  readonly channels: Channels
}

/** bough's own tools for the agent of one session: the same for every session, so that a fork's prompt begins like main's. */
export function ownTools(parts: OwnToolParts, caller: Caller): readonly Tool[] {
  const { store, ids, clock, zone, channels } = parts
  const { sessionID } = caller
  const asking = () => ({ sessionID, turnID: caller.turnID() })
  const channelID = () => store.transaction(async (tx) => (await channelOfTurn(parts, tx, asking())).id)
  // What an agent plans may no more than the agent itself.
  const narrow = async <T extends Pick<ReminderDraft, 'allowedTools'>>(draft: T): Promise<T> => {
    const allowedTools = narrowed(
      await toolsOfRun(store, sessionID, caller.turnID()),
      draft.allowedTools ?? null,
    )
    return allowedTools === null ? draft : { ...draft, allowedTools }
  }
  return [
    ...forkTools({
      enter: (wanted) => askForFork(parts, channels, asking(), wanted),
      exit: (action, text) => askToExit(parts, asking(), action, text),
      run: async (prompt, options) => {
        if (options.agent !== undefined) await parts.mustBeInstalled(options.agent)
        return askForRun(parts, channels, asking(), prompt, options)
      },
    }),
    ...messageTools({
      ping: (text) => askToSend(parts, asking(), async () => ({ kind: 'message', text })),
      embed: ({ title, body, buttons }) =>
        askToSend(parts, asking(), async (tx, channelID, forkID) => {
          const sent: { label: string; inquiryID: ReturnType<typeof ids.inquiry> }[] = []
          for (const { label, prompt } of buttons) {
            const inquiry = { id: ids.inquiry(), channelID, sessionID: forkID, label, prompt }
            await tx.links.insertInquiry({ ...inquiry, used: null, created: clock() })
            sent.push({ label, inquiryID: inquiry.id })
          }
          return { kind: 'embed', title, body, buttons: sent }
        }),
    }),
    ...scheduleTools({
      addRoutine: async (draft) => addRoutine(parts, await channelID(), await narrow(draft)),
      addReminder: async (draft) => addReminder(parts, await channelID(), await narrow(draft)),
      list: async () => store.schedules.list(await channelID()),
      async cancel(typed) {
        const schedule = await findSchedule(store, typed)
        if (schedule.channelID !== (await channelID()))
          throw new BoughError('not_allowed', 'That belongs to another conversation.')
        return cancelSchedule(parts, schedule.id)
      },
      approve: (tool, detail) => caller.askPermission({ tool, action: 'other', detail, eachTime: true }),
      now: clock,
      zone,
    }),
  ]
}
