import { join } from 'node:path'
import { findClaude, programOf } from '../src/agents/claude/find-claude.ts'
import { claudeProbe } from '../src/agents/claude/probe.ts'
import { findCodex } from '../src/agents/codex/find-codex.ts'
import { codexProbe } from '../src/agents/codex/probe.ts'
import { describeProbe } from './support/describe-probe.ts'

describeProbe('claude', {
  probe: claudeProbe(null),
  byHand: async (prompt) => [await programOf(await findClaude(process.env, null), process.env), '-p', prompt],
  // Otherwise it refuses to go without questions as root.
  env: { IS_SANDBOX: '1' },
  traces: ({ outside }) => ['hook-of-person', 'hook-of-project'].map((name) => join(outside, name)),
})

describeProbe('codex', {
  probe: codexProbe(null),
  byHand: async (prompt) => [await findCodex(process.env, null), 'exec', '--skip-git-repo-check', prompt],
  // bough lets it run no hooks.
  traces: () => [],
})
