import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../../test/support/until.ts'
import { type GroundOptions, openTui, type TuiGround } from '../../testing/ground.ts'

/** The terminal UI with an agent that may do nothing unasked. */
export const asking = (options: GroundOptions = {}) => openTui({ config: { permissions: {} }, ...options })

/** Says that, and goes on when the agent asks: the person has looked at the dialog for a while. */
export async function ask(ground: TuiGround, prompt = 'run touch x'): Promise<void> {
  await ground.screen('Esc looks back')
  ground.press(prompt, 'Enter')
  ground.clock.now += 1000
  await ground.screen('An agent asks')
  ground.clock.now += 1000
}

/** Whether what was asked for was done. */
export const isThere = ({ directory }: TuiGround, file = 'x'): boolean => existsSync(join(directory, file))

/** Waits until nothing is asked on the screen. */
export const gone = (ground: TuiGround): Promise<boolean> =>
  until('the dialog to close', async () => !(await ground.screen()).includes('An agent asks'))
