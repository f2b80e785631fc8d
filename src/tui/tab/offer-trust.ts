import { partLine, unapproved, waitingFor } from '../../tree/directory-trust.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import { ConfirmPanel } from '../panels/confirm-panel.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'

/** Asks once for each directory whether the person trusts it, where its agent would load something of it. Work goes on meanwhile. */
export async function offerTrust(ui: Ui, { directory, agent }: Session): Promise<void> {
  const trust = await ui.bough.trust(directory).catch(() => null)
  if (!trust || waitingFor(trust, agent).length === 0 || ui.offeredTrust.has(trust.root)) return
  ui.offeredTrust.add(trust.root)
  const parts = unapproved(trust)
  const root = plainLine(trust.root)
  const isNew = trust.state === 'changed'
  ui.open(
    new ConfirmPanel(ui, {
      title: isNew ? 'New agent settings' : 'Trust this directory?',
      question: isNew
        ? `New in ${root}, which you trust. Until you approve it, agents do not load it:`
        : `${root} has settings for agents. Until you trust it, agents load and run none of this:`,
      lines: (columns) => parts.flatMap((part) => wrapped(plainLine(partLine(part)), columns)),
      yes: isNew ? 'Approve it' : 'Trust it',
      waitsMs: 1_000,
      does: () =>
        ui.attempt(async () => {
          await ui.bough.grantTrust(
            directory,
            parts.map(({ id }) => id),
          )
          ui.tell('Trusted. Its settings load with your next prompt.')
        }),
    }),
  )
}
