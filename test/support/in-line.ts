import type { Home } from '../../src/home.ts'
import type { ChannelID } from '../../src/tree/ids.ts'
import { lookInto } from './ground.ts'
import { until } from './until.ts'

/** Resolves when so many things that came into a channel are being done, or wait for that. */
export async function inLine(home: Home, channelID: ChannelID, many: number): Promise<void> {
  const store = await lookInto(home)
  await until(`${many} things in line`, async () => (await store.inbox.open(channelID)).length === many)
}
