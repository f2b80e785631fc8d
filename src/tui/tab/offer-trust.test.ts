import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newHome } from '../../../test/support/bough.ts'
import { createClaudeDriver } from '../../agents/claude/claude.ts'
import { openTui } from '../testing/ground.ts'

async function openIn(hook: string) {
  const ground = await openTui({ drivers: [createClaudeDriver({ env: {} })] })
  await ground.screen('Esc looks back')
  const { project } = await newHome()
  mkdirSync(join(project, '.claude'))
  const Stop = [{ hooks: [{ type: 'command', command: hook }] }]
  writeFileSync(join(project, '.claude', 'settings.json'), JSON.stringify({ hooks: { Stop } }))
  const session = await ground.bough.create({ agent: 'claude', directory: project })
  return { ...ground, project, openAgain: () => ground.app.openTab(session) }
}

it('asks once whether the person trusts a directory, shows what would run, and trusts it with Enter', async () => {
  const { bough, project, openAgain, screen, press, clock } = await openIn('run-me')
  await openAgain()
  await screen(/Trust this directory\?[\s\S]*claude hook Stop \(\.claude\/settings\.json\): run-me/)
  // What was typed when it opened chooses nothing.
  press('Enter')
  expect(await bough.trust(project)).toMatchObject({ state: 'untrusted' })
  clock.now += 1_000
  press('Enter')
  await screen('Trusted. Its settings load with your next prompt.')
  expect(await bough.trust(project)).toMatchObject({ state: 'trusted' })
})

it('takes Esc for not now, and does not ask again', async () => {
  const { app, bough, project, openAgain, screen, press } = await openIn('run-me')
  const tab = await openAgain()
  await screen('Trust this directory?')
  press('Esc')
  await expect.poll(() => screen()).not.toContain('Trust this directory?')
  app.closeTab(tab)
  await openAgain()
  await screen('New session')
  expect(await bough.trust(project)).toMatchObject({ state: 'untrusted' })
  expect(await screen()).not.toContain('Trust this directory?')
})
