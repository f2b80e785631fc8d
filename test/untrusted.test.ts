import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { begin, type Ground } from './support/agent-ground.ts'
import { turn } from './support/bough.ts'
import { type HostileProject, hostileWords, makeHostile } from './support/hostile-project.ts'
import { type RealAgent, realClaude, realCodex } from './support/real-agents.ts'
import { until } from './support/until.ts'

/** The person's own settings allow as much ahead as they can. */
function trustInSettings({ name, env }: RealAgent, root: string): void {
  if (name === 'claude') {
    const all = { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['evil'] }
    const projects = { [root]: { hasTrustDialogAccepted: true, ...all } }
    writeFileSync(join(env.CLAUDE_CONFIG_DIR ?? '', '.claude.json'), JSON.stringify({ projects }))
    writeFileSync(join(env.CLAUDE_CONFIG_DIR ?? '', 'settings.json'), JSON.stringify(all))
  } else {
    const trusted = `\n[projects.${JSON.stringify(root)}]\ntrust_level = "trusted"\n`
    appendFileSync(join(env.CODEX_HOME ?? '', 'config.toml'), trusted)
  }
}

async function enter(real: () => Promise<RealAgent>): Promise<Ground & { hostile: HostileProject }> {
  const ground = await begin(real)
  const hostile = makeHostile(ground.root)
  trustInSettings(ground.agent, ground.root)
  return { ...ground, hostile }
}

describe.each([
  ['Claude', realClaude, 'CLAUDEWORDS'],
  ['Codex', realCodex, 'AGENTSWORDS'],
] as const)('%s in an untrusted project, whatever its own settings say', (_, real, instructions) => {
  it('runs nothing of it when it is warmed, prompted, forked, seeded, run in the background or gone on with', async () => {
    const { agent, bough, root, sessionID, say, hostile } = await enter(real)
    await bough.warm(sessionID)
    expect(hostile.ran(), 'warm').toEqual([])
    await say('run true')
    expect(hostile.ran(), 'prompt').toEqual([])
    for (const options of [{ files: 'same' }, { files: 'worktree' }, { context: 'seed' }] as const) {
      const fork = await bough.fork(sessionID, options)
      await say('in the fork', fork.id)
      expect(hostile.ran(), JSON.stringify(options)).toEqual([])
    }
    const run = await bough.runBackground(sessionID, 'in the background')
    await bough.keepTime()
    await until('the run to end', async () => (await bough.sideFork(run.sessionID))?.state !== 'open')
    expect(hostile.ran(), 'background run').toEqual([])
    const nested = join(root, 'below', 'deep')
    mkdirSync(nested, { recursive: true })
    const { id } = await bough.create({ agent: agent.name, directory: nested })
    await turn(bough, id, 'below')
    expect(hostile.ran(), 'a directory below').toEqual([])

    const nativeID = (await bough.session(sessionID)).nativeID ?? ''
    await bough.lend(sessionID, () => agent.byHand(root, 'by hand', { nativeID }))
    hostile.forget()
    await say('after it')
    expect(hostile.ran(), 'reconcile').toEqual([])
    await agent.byHand(root, 'a session of its own')
    hostile.forget()
    const { sessions } = await bough.adoptable({ directory: root, agent: agent.name })
    const own = sessions.find((each) => each.sessionID === null)
    if (!own) throw new Error('nothing to import')
    const adopted = await bough.adopt(own)
    await say('imported', adopted.id)
    expect(hostile.ran(), 'import').toEqual([])
  })

  it('gets the instructions as text, but no helpers, commands or skills', async () => {
    const { agent, say } = await enter(real)
    await say('one')
    const request = agent.requests().at(-1) ?? ''
    expect([instructions, ...hostileWords].filter((word) => request.includes(word))).toEqual([instructions])
  })
})
