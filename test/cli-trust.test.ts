import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { refused } from './support/refused.ts'
import { createWorld, type World } from './support/run-bough.ts'

let world: World
beforeEach(() => {
  world = createWorld()
  mkdirSync(join(world.project, '.claude'))
  writeFileSync(join(world.project, '.claude', 'settings.json'), settings('first'))
})

const settings = (...commands: readonly string[]): string => {
  const Stop = commands.map((command) => ({ hooks: [{ type: 'command', command }] }))
  return JSON.stringify({ hooks: { Stop } })
}

describe('bough trust', () => {
  it('shows what agents would run, and trusts it with --yes only where nobody can be asked', async () => {
    const shown = await world.bough(['trust'])
    expect(shown).toMatchObject({ code: 1 })
    expect(shown.stdout).toContain('· claude hook Stop (.claude/settings.json): first')
    expect(shown.stderr).toBe('bough: there is no terminal to ask in. To trust it: --yes\n')
    expect(await world.ok('trust', '--list')).toBe('')
    expect(await world.ok('trust', '--yes')).toContain('is trusted.')
    expect(await world.json('trust', '--list')).toMatchObject([{ root: world.project }])
    expect(await world.json('trust')).toMatchObject({ state: 'trusted', parts: [{ approved: true }] })
  })

  it('asks again for what is new, and takes trust back', async () => {
    await world.ok('trust', '--yes')
    writeFileSync(join(world.project, '.claude', 'settings.json'), settings('first', 'second'))
    const { state, parts } = JSON.parse((await world.bough(['trust', '--json'])).stdout)
    expect(state).toBe('changed')
    expect(parts).toMatchObject([
      { detail: 'first', approved: true },
      { detail: 'second', approved: false },
    ])
    await world.ok('trust', '--remove')
    expect(await world.json('trust', '--list')).toEqual([])
  })

  it('is refused to agents, but for looking', async () => {
    const env = { BOUGH_AGENT: '1' }
    await refused(world, ['trust', '--yes'], 1, /^bough: An agent may not use "bough trust"/, env)
    await refused(world, ['trust', '--remove'], 1, /^bough: An agent may not use "bough trust"/, env)
    expect(await world.bough(['trust', '--list'], { env })).toMatchObject({ code: 0 })
  })

  it('is told by doctor, with what would run', async () => {
    const shown = await world.ok('doctor')
    expect(shown).toContain('is not trusted: agents there load and run none of these:')
    expect(shown).toContain('    claude hook Stop (.claude/settings.json): first')
  })

  it('needs no answer for the offline agent', async () => {
    const id = (await world.ok('new')).trim()
    expect(await world.bough(['send', id, 'hello'])).toMatchObject({ code: 0, stderr: '' })
  })
})
