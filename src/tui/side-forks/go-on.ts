import type { SideFork } from '../../tree/side-fork.ts'
import type { Tab } from '../tab/tab.ts'
import { replyableRun } from './reply.ts'

/** Goes on with a run as an interactive fork: what the person says next is a reply to it. */
export async function goOnWith(tab: Tab, run: SideFork): Promise<void> {
  const { ui, place } = tab
  if (run.sessionID === place.channel.mainID) {
    ui.tell('That run was saved: it is main here already.')
    return
  }
  const to = await replyableRun(ui.bough, run)
  const talking = await talkingTab(tab)
  talking.replyTo = to
  ui.tell(
    place.fork ? 'A fork is open: what you say goes there, and quotes the run.' : 'Say how to go on with it.',
  )
}

/** What is typed where a run is only looked at goes on with it, in the tab of its channel. */
export async function goOnElsewhere(tab: Tab, text: string): Promise<void> {
  const { ui, place } = tab
  await tab.talking.orGiveBack(text, async () => {
    const run = place.watched && (await ui.bough.sideFork(place.watched))
    const to = run && (await replyableRun(ui.bough, run))
    const { talking } = await talkingTab(tab)
    if (to) talking.reply(to, text)
    else talking.send(text)
  })
}

// Where the channel of a tab is talked in: nobody talks in a run that goes on.
async function talkingTab(tab: Tab): Promise<Tab> {
  const { ui, place } = tab
  if (place.watched === null) return tab
  return ui.openTab(await ui.bough.session(place.channel.mainID))
}
