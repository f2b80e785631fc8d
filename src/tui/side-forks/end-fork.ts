import { type ExitAction, noEndingWords } from '../../tree/side-fork.ts'
import type { Tab } from '../tab/tab.ts'

/** Ends the fork that is open in a tab, or the run that it looks at. A report may bring its words along. */
export function endFork(tab: Tab, action: ExitAction, text = ''): void {
  const { ui } = tab
  const { watched, channel } = tab.place
  const end = async (): Promise<void> => {
    if (watched !== null) return endRun(tab, action)
    // Asked for now: a fork that was opened a moment ago counts.
    const { openForkID } = await ui.bough.channel(channel.id)
    if (openForkID === null) {
      if (text !== '') tab.talking.giveBack(`/report ${text}`)
      const { kind, title } = tab.session
      ui.tell(
        kind === 'branch' ? noEndingWords({ kind, title }) : 'No fork is open here. /fork opens one.',
        'warning',
      )
    } else if (text !== '') await ui.bough.exit(openForkID, { action, text })
    else tab.talking.say({ kind: 'exit', action, forkID: openForkID })
  }
  ui.attempt(() => tab.talking.orGiveBack(text === '' ? '' : `/report ${text}`, end))
}

async function endRun({ ui, place }: Tab, action: ExitAction): Promise<void> {
  const { watched, runs } = place
  const run = runs.find(({ sessionID }) => sessionID === watched)
  if (!run) ui.tell('That run is over. Type to go on with it.', 'warning')
  else if (action !== 'discard')
    ui.tell(
      `A run that goes on can be stopped (${ui.keys.wordsFor('fork.discard')}), or gone on with: type what you want.`,
      'warning',
    )
  else await ui.bough.exit(run.sessionID, { action })
}
