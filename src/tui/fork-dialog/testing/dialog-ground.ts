import { ScriptedAgent, says } from '../../../../test/support/scripted-agent.ts'
import type { Driver } from '../../../agents/driver.ts'
import type { TuiGround } from '../../testing/ground.ts'

export const files = { 'soup.txt': 'water\n' }
export const twoSoups = ['write soup.txt: tomato', 'write soup.txt: leek']
export const made = 'Fork created, context in, waiting for your prompt.'

/** Ids and commits are others every time. */
export const steady = (screen: string): string =>
  screen.replaceAll(/· \w{6}(?= )/g, '· 000000').replaceAll(/commit [0-9a-f]{8}/g, 'commit 00000000')

/** The dialog, once everything in it is known. */
export async function opened({ press, screen }: TuiGround): Promise<string> {
  await screen('Esc looks back')
  press('Alt+Shift+F')
  return screen('Enter forks')
}

export interface Mock {
  readonly agent: ScriptedAgent
  readonly driver: Driver
  /** The test may make it smaller at any time. */
  readonly window: { tokens: number }
}

/** An agent with a history and a context window of its own; it acknowledges a seed when the gate is open. */
export function mock(window = { tokens: 200_000 }, gate: Promise<void> = Promise.resolve()): Mock {
  const agent = new ScriptedAgent('mock', async function* (prompt) {
    if (!prompt.startsWith('===')) return yield* says(`heard: ${prompt}`)
    await gate
    yield* says('Ready.')
  })
  return { agent, window, driver: { ...agent.driver, contextWindow: async () => window.tokens } }
}
