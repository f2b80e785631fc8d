import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

// Every test file has a home of its own: nothing may touch the real one.
const home = mkdtempSync(join(tmpdir(), 'bough-test-'))
process.env.HOME = home
process.env.BOUGH_HOME = join(home, 'bough')
process.env.CLAUDE_CONFIG_DIR = join(home, 'claude')
process.env.CODEX_HOME = join(home, 'codex')
process.env.TMPDIR = home
// Compiling the sources anew for every process would be most of the time that tests take.
process.env.NODE_COMPILE_CACHE = fileURLToPath(
  new URL('../../node_modules/.cache/bough-test', import.meta.url),
)
for (const name of ['XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'BOUGH_AGENT', 'NO_COLOR', 'FORCE_COLOR'])
  delete process.env[name]
// Nor may anybody's account be used.
for (const name of Object.keys(process.env))
  if (/^(ANTHROPIC|CLAUDE_CODE|OPENAI|CODEX_API|DISCORD)_/.test(name)) delete process.env[name]

afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }))
