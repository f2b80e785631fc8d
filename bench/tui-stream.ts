// The terminal UI with an agent that says so many tokens a second, which no agent of bough's own does. Now and then it says
// how many there were, so that who looks at the screen can tell.
import { setTimeout as pause } from 'node:timers/promises'
import type { AgentEvent, Driver } from '../src/agents/driver.ts'
import { findHome } from '../src/home.ts'
import { openBough } from '../src/open-bough.ts'
import { runTui } from '../src/tui/tui.ts'

const [home, id = '', perSecond, seconds] = process.argv.slice(2)

// As an agent writes: a heading, sentences, a list, some code. Each piece is a word, with what stands before it.
const text =
  `## How the soup is made\n\n${'The onions go first, and **slowly**; then tomatoes, `salt` and a little sugar. '.repeat(5)}

- cut the onions, not too small
- let them become glassy in olive oil
- add the tomatoes and wait

\`\`\`ts
export function portions(guests: number, each = 250): number {
  // Somebody always wants more.
  return Math.ceil(guests * each * 1.1)
}
\`\`\`

`.match(/\s*\S+|\s+$/g) ?? []

const bough = await openBough(findHome({ BOUGH_HOME: home }), {
  drivers: [steadyDriver(Number(perSecond), Number(seconds))],
})
await runTui({ env: process.env, open: async () => ({ bough, session: await bough.findSession(id) }) })
await bough.close()

function steadyDriver(perSecond: number, seconds: number): Driver {
  return {
    name: 'offline',
    capabilities: { history: 'line' },
    settings: [],
    shipped: async () => [],
    native: null,
    contextWindow: async () => null,
    check: async () => ({ installed: true, ready: true, detail: 'Says tokens at a steady pace.' }),
    close: async () => {},
    open: async () => ({
      send: (_, signal) => tokens(perSecond, perSecond * seconds, signal),
      close: async () => {},
    }),
  }
}

/** Each at its time, however long the last one took. */
async function* tokens(perSecond: number, count: number, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  const begun = performance.now()
  for (let said = 0; said < count && !signal.aborted; said++) {
    const early = begun + (said * 1000) / perSecond - performance.now()
    if (early > 0) await pause(early)
    const token = text[said % text.length] ?? ''
    yield { type: 'text', text: token.endsWith('first,') ? `${token} n${said}` : token }
  }
  yield { type: 'message-finished', interrupted: signal.aborted }
  yield { type: 'turn-finished', reason: signal.aborted ? 'interrupted' : 'done' }
}
