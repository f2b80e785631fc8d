import type { Bough } from '../../bough.ts'
import type { Port, Recent } from '../port.ts'
import { deedOf } from './button-id.ts'
import { contentOf } from './outgoing-view.ts'

/** Switches off the buttons of forks that have ended while nobody was there to do it. */
export async function closeBanners(
  bough: Bough,
  port: Pick<Port, 'edit'>,
  recent: readonly Recent[],
): Promise<void> {
  for (const { id, buttons } of recent) {
    const deed = buttons.map(deedOf).find((each) => each?.kind === 'exit')
    if (deed?.kind !== 'exit') continue
    const fork = await bough.sideFork(deed.forkID)
    if (fork?.state === 'open') continue
    await port.edit(id, contentOf({ kind: 'entered', topic: fork?.topic ?? null, isOpen: false }, null))
  }
}
