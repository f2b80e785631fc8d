import type { Bough } from '../../bough.ts'
import { bannerTopic, type SideFork } from '../../tree/side-fork.ts'
import type { Content, Recent } from '../port.ts'
import { deedOf } from './button-id.ts'
import { contentOf } from './outgoing-view.ts'

/** What banners should be whose forks have ended while nobody was there to switch off their buttons. */
export async function overBanners(
  bough: Bough,
  recent: readonly Recent[],
): Promise<readonly { readonly id: string; readonly content: Content }[]> {
  const found = []
  for (const { id, buttons } of recent) {
    const deed = buttons.map(deedOf).find((each) => each?.kind === 'exit')
    if (deed?.kind !== 'exit') continue
    const fork = await bough.sideFork(deed.forkID)
    if (fork?.state === 'open') continue
    const topic = fork ? await shownTopic(bough, fork) : null
    found.push({ id, content: contentOf({ kind: 'entered', topic, isOpen: false }, null) })
  }
  return found
}

// A run that a fork continues may be deleted by now.
async function shownTopic(bough: Bough, fork: SideFork): Promise<string | null> {
  const parentID = (await bough.session(fork.sessionID).catch(() => null))?.parentID
  const parent = parentID ? await bough.session(parentID).catch(() => null) : null
  return parent ? bannerTopic(fork, parent) : fork.topic
}
