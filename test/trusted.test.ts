import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { begin } from './support/agent-ground.ts'
import { makeHostile } from './support/hostile-project.ts'
import { realClaude, realCodex } from './support/real-agents.ts'

describe('a trusted project', () => {
  it('loads with the next prompt in Claude, also in a fork’s worktree; what is new waits for the person', async () => {
    const { agent, bough, root, sessionID, say } = await begin(realClaude)
    const project = makeHostile(root)
    await say('one')
    expect(project.ran()).toEqual([])
    const { state, parts } = await bough.trust(root)
    expect(state).toBe('untrusted')
    expect(parts.filter(({ name }) => name === 'SessionStart')).toMatchObject([
      { agent: 'claude', kind: 'hook', file: '.claude/settings.json', approved: false },
      { agent: 'claude', kind: 'hook', file: '.claude/settings.local.json', approved: false },
    ])
    await bough.grantTrust(
      root,
      parts.map(({ id }) => id),
    )
    await say('two')
    const ran = [
      'project-hook-SessionStart',
      'project-hook-Stop',
      'local-hook-UserPromptSubmit',
      'mcp-json-server',
    ]
    expect(project.ran()).toEqual(expect.arrayContaining(ran))
    const request = agent.requests().at(-1) ?? ''
    expect(['EVILAGENT', 'EVILCOMMAND', 'EVILSKILL'].filter((word) => !request.includes(word))).toEqual([])
    expect(request).not.toContain('bough-project-')
    project.forget()

    const settings = join(root, '.claude', 'settings.json')
    const { hooks, ...rest } = JSON.parse(readFileSync(settings, 'utf8'))
    const added = { hooks: [{ type: 'command', command: `touch '${join(root, 'added-hook')}'` }] }
    hooks.UserPromptSubmit.push(added)
    writeFileSync(settings, JSON.stringify({ hooks, ...rest }))
    expect(await bough.trust(root)).toMatchObject({ state: 'changed' })
    await say('three')
    expect(project.ran()).toContain('project-hook-UserPromptSubmit')
    expect(() => readFileSync(join(root, 'added-hook'))).toThrow()
    const changed = await bough.trust(root)
    const unseen = changed.parts.filter(({ approved }) => !approved)
    expect(unseen).toMatchObject([{ kind: 'hook', name: 'UserPromptSubmit' }])
    await bough.grantTrust(
      root,
      unseen.map(({ id }) => id),
    )
    await say('four')
    expect(readFileSync(join(root, 'added-hook'), 'utf8')).toBe('')
    project.forget()

    const fork = await bough.fork(sessionID, { files: 'worktree' })
    await say('five', fork.id)
    expect(project.ran()).toContain('project-hook-UserPromptSubmit')
    await bough.revokeTrust(root)
    await say('six')
    project.forget()
    await say('seven')
    // The Claude that was trusted says goodbye in its own time.
    expect(project.ran().filter((name) => !name.endsWith('SessionEnd'))).toEqual([])
  })

  it('loads in Codex only as long as all of its settings are approved, and Codex trusts it, too', async () => {
    const { agent, bough, root, say } = await begin(realCodex)
    const config = `\n[projects.${JSON.stringify(root)}]\ntrust_level = "trusted"\n`
    appendFileSync(join(agent.env.CODEX_HOME ?? '', 'config.toml'), config)
    const project = makeHostile(root)
    const trustAll = async () => {
      const { parts } = await bough.trust(root)
      return bough.grantTrust(
        root,
        parts.map(({ id }) => id),
      )
    }
    await say('one')
    expect(project.ran()).toEqual([])
    expect(await trustAll()).toMatchObject({ state: 'trusted' })
    await say('two')
    expect(project.ran()).toContain('codex-server')
    appendFileSync(join(root, '.codex', 'config.toml'), '\n# more\n')
    project.forget()
    await say('three')
    await say('four')
    project.forget()
    await say('five')
    expect(project.ran()).not.toContain('codex-server')
    await trustAll()
    await say('six')
    expect(project.ran()).toContain('codex-server')
  })
})
