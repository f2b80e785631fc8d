import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { untrusted } from '../../test/support/project-access.ts'
import { promptWithInstructions } from './project-instructions.ts'

const newRoot = () => realpathSync(mkdtempSync(join(tmpdir(), 'project-')))

const promptIn = (root: string, cwd = root): Promise<string> =>
  promptWithInstructions({ systemPrompt: 'PROMPT', cwd, project: untrusted(root) }, [
    'CLAUDE.md',
    'AGENTS.md',
  ])

test('instructions of an untrusted project follow the system prompt, from the top down, by paths below the top', async () => {
  const root = newRoot()
  mkdirSync(join(root, 'below', 'deep'), { recursive: true })
  writeFileSync(join(root, 'AGENTS.md'), 'At the top.\n')
  writeFileSync(join(root, 'below', 'CLAUDE.md'), 'Below.\n')
  writeFileSync(join(root, 'below', 'AGENTS.md'), 'Not this one.\n')
  expect(await promptIn(root, join(root, 'below', 'deep'))).toBe(
    'PROMPT\n\nThis project has instructions for agents. As text, they say:\n\n--- AGENTS.md ---\nAt the top.\n\n--- below/CLAUDE.md ---\nBelow.',
  )
  expect(await promptIn(newRoot())).toBe('PROMPT')
})

test('a link out of the project and a pipe are not read as instructions', async () => {
  const [root, elsewhere] = [newRoot(), newRoot()]
  writeFileSync(join(elsewhere, 'secret'), 'SECRET\n')
  symlinkSync(join(elsewhere, 'secret'), join(root, 'CLAUDE.md'))
  execFileSync('mkfifo', [join(root, 'AGENTS.md')])
  expect(await promptIn(root)).toBe('PROMPT')
})

test('a link within the project is read', async () => {
  const root = newRoot()
  writeFileSync(join(root, 'AGENTS.md'), 'Words.\n')
  symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'))
  expect(await promptIn(root)).toContain('--- CLAUDE.md ---\nWords.')
})
