import type { Forked } from '../../tree/files-mode.ts'
import { notLookingBack } from '../backtrack/backtrack.ts'
import type { Tab } from '../tab/tab.ts'
import type { Conversation } from '../transcript/conversation.ts'
import type { Ui } from '../ui.ts'

export const created = 'Fork created, context in, waiting for your prompt.'
const handingOver = 'Fork created, handing over the conversation …'
const notIn =
  'Fork created, but the conversation could not be handed over yet. It is tried again with your next prompt.'

/** Shows a fork of what a tab shows in a tab of its own, with what the person may say again there in its composer. */
export async function openFork(ui: Ui, tab: Tab, forked: Forked, text: string | null): Promise<void> {
  if (tab.backtrack.on) tab.backtrack = notLookingBack
  const { composer, conversation } = await ui.openTab(forked)
  if (text !== null) composer.text = text
  if (forked.context.kind === 'native') conversation.note('fork', created)
  else ui.attempt(() => tellOfSeed(ui, forked, conversation))
}

async function tellOfSeed({ bough }: Ui, { id }: Forked, conversation: Conversation): Promise<void> {
  const takeAway = conversation.note('fork', handingOver)
  try {
    const seed = await bough.seed(id)
    if (seed?.state === 'sent') conversation.note('fork', created)
    else conversation.note('warning', notIn)
  } finally {
    takeAway()
  }
}
