import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { newRepository } from '../src/workspace/testing/ground.ts'
import { newHome } from './support/bough.ts'
import { type RealAgent, realClaude, realCodex } from './support/real-agents.ts'
import { launcher } from './support/run-bough.ts'
import { Tmux } from './support/tmux.ts'

const told = (...prompts: readonly string[]): readonly string[] =>
  prompts.flatMap((prompt) => [`user: ${prompt}`, `assistant: reply to ${prompt}`])

/** What the model was given last, without what bough puts before a prompt. */
const received = (agent: RealAgent): readonly string[] =>
  (agent.conversations().at(-1) ?? []).map((line) => line.replace(/<bough>.*?<\/bough>\n*\|?/s, ''))

it('in a terminal, Claude is forked three messages back with an edited prompt, and then into a worktree with Codex', {
  timeout: 180_000,
}, async () => {
  const home = await newHome()
  mkdirSync(dirname(home.config), { recursive: true })
  const config = {
    agent: 'claude',
    permissions: { allow: ['run', 'Write'] },
    claude: { model: 'claude-sonnet-5' },
  }
  writeFileSync(home.config, JSON.stringify(config))
  const root = await newRepository({ 'a.txt': 'a\n' })
  const [codex, claude] = [await realCodex(), await realClaude()]
  const env = { ...process.env, ...codex.env, ...claude.env, BOUGH_HOME: home.data, TERM: 'xterm-256color' }
  const open = (): Tmux => {
    const terminal = Tmux.start(`'${process.execPath}' '${launcher}'`, { cwd: root, env })
    onTestFinished(() => terminal.close())
    return terminal
  }
  const terminal = open()
  await terminal.shows('Esc looks back')
  const say = async (prompt: string, answer: string | RegExp = `reply to ${prompt}`): Promise<void> => {
    terminal.type(prompt)
    await terminal.shows(answer)
    await terminal.shows('Esc looks back')
  }
  for (const prompt of ['alpha', 'beta', 'gamma']) await say(prompt)

  for (const selected of ['agent · 6', 'you · 5', 'agent · 4', 'you · 3']) {
    terminal.press('Escape')
    await terminal.shows(`╭─ ${selected} ─`)
    // Quicker ones would leave.
    await pause(450)
  }
  terminal.press('Enter')
  expect(await terminal.shows('Esc clears')).not.toContain('gamma')
  terminal.press('BSpace')
  terminal.type(' instead')
  await terminal.shows('reply to bet instead')
  await terminal.shows('Esc looks back')
  expect(received(claude)).toEqual([...told('alpha'), 'user: bet instead'])

  await say('run echo two > a.txt', 'done')
  terminal.press('M-F')
  await terminal.shows('claude ›')
  for (const key of ['Up', 'Up', 'Up', 'Right']) terminal.press(key)
  await terminal.shows('codex ›')
  await terminal.shows('1 file is not committed')
  await terminal.shows(/seed/i)
  terminal.press('Enter')
  const forked = await terminal.shows('handed over to codex as a seed')
  expect(forked).toContain('Fork created, context in, waiting for your prompt.')
  expect(forked).not.toContain('Ready.')
  await say('delta', /<\/bough>\s+delta/)
  expect(received(codex).slice(1)).toEqual(['assistant: Ready.', 'user: delta'])
  await say('run cat a.txt; git worktree list | wc -l', '✓ 2 lines')
  terminal.press('C-o')
  await terminal.shows('two')
  terminal.press('C-q')
  await terminal.shows('ended with 0')

  const again = open()
  // The shown tab comes first, the others a moment later.
  await again.shows(/^ 1 .* 3 [\s\S]*<\/bough>\s+delta/)
  again.press('C-Home')
  await again.shows("The seed, as codex's own history has it")
  await again.shows('Ready.')
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n')
})
