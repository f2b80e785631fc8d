import { type Script, ScriptedAgent } from '../../../test/support/scripted-agent.ts'
import { type GroundOptions, openTui, type TuiGround } from './ground.ts'

/** The terminal UI with a tab of an agent that says and does what a test wants. */
export async function openScripted(script: Script, options: GroundOptions = {}): Promise<TuiGround> {
  const agent = new ScriptedAgent('scripted', script)
  const ground = await openTui({ ...options, drivers: [agent.driver] })
  const { bough, app, directory } = ground
  const session = await bough.create({ title: 'Script', agent: 'scripted', directory })
  await app.openTab(session)
  return {
    ...ground,
    session,
    turn: (text, id = session.id) => ground.turn(text, id),
  }
}
