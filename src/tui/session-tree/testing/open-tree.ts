import type { SessionID } from '../../../tree/ids.ts'
import { type GroundOptions, openTui, type TuiGround } from '../../testing/ground.ts'

/** A small tree: Soup with two forks, one of them forked again. */
export async function openTree(options: GroundOptions = {}) {
  const ground = await openTui({ prompts: ['Say: tomato'], ...options })
  const { bough, session } = ground
  const fork = async (from: SessionID, title: string): Promise<SessionID> =>
    (await bough.fork(from, { title })).id
  const leek = await fork(session.id, 'Leek')
  const pea = await fork(session.id, 'Pea')
  const cold = await fork(leek, 'Cold leek')
  await ground.screen('Esc looks back')
  return { ...ground, leek, pea, cold, fork }
}

/** Those of the titles that are shown. */
export const shownIn = (screen: string, titles: readonly string[]): readonly string[] =>
  titles.filter((title) => new RegExp(`[◆◇●○] (▸ \\+\\d+ )?${title}`).test(screen))

export const all = ['Soup', 'Leek', 'Pea', 'Cold leek']

/** Which session is selected: its title stands over what was said in it. */
export const selects = ({ screen }: Pick<TuiGround, 'screen'>, title: string): Promise<string> =>
  screen(new RegExp(`─\\n ${title} *\\n`))
