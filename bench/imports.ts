import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openBundled } from './bundle.ts'
import { claudeFolder, writeClaudeSession } from './claude-session.ts'
import type { Group } from './row.ts'
import { interleave, Subject } from './subject.ts'

/** So many sessions of so many messages each: as people have them, few are long. */
const sizes = [
  { sessions: 10, messages: 10_000 },
  { sessions: 90, messages: 500 },
  { sessions: 400, messages: 20 },
]

const limit = 50

/** Sessions of Claude Code, adopted through its SDK. */
export const importing: Group = {
  name: 'imports',
  title: '500 imported sessions of up to 10,000 messages',
  async measure(directory) {
    const [config, project] = [join(directory, 'claude'), join(directory, 'project')]
    process.env.CLAUDE_CONFIG_DIR = config
    await mkdir(project)
    const folder = await claudeFolder(config, project)
    const says = (role: string, i: number) => `${role === 'user' ? 'Prompt' : 'Answer'} ${i}.`
    for (const { sessions, messages } of sizes)
      for (let made = 0; made < sessions; made++) await writeClaudeSession(folder, project, messages, says)

    const bough = await openBundled(join(directory, 'data'))
    const before = performance.now()
    const { sessions: found } = await bough.adoptable({ directory: project, agent: 'claude' })
    const looked = performance.now()
    for (const each of found) await bough.adopt(each)
    const adopted = performance.now()

    const all = await bough.sessions()
    const [longest] = all.toSorted((a, b) => b.messages - a.messages)
    if (!longest || all.length !== 500 || longest.messages !== 10_000)
      throw new Error('Not all were adopted.')
    const list = new Subject('list of all', () => bough.sessions())
    const page = new Subject(`the last ${limit} messages of the longest`, () =>
      bough.messages(longest.id, { limit }),
    )
    await interleave([list, page], 50)
    await bough.close()
    return [
      { kind: 'bound', ...list.result, limit: 1_000 },
      { kind: 'bound', ...page.result, limit: 50 },
      { kind: 'fact', what: 'asking Claude for its list', unit: 'ms', measured: looked - before },
      { kind: 'fact', what: 'adopting all, 153,000 messages', unit: 'ms', measured: adopted - looked },
    ]
  },
}
