import { versionOf } from '../installed.ts'
import { type Probe, type ProbeReport, runProbe } from './probe.ts'

export interface AgentProbe extends ProbeReport {
  readonly version: string
  /** Files of the person's with rules that the agent follows without asking bough. */
  readonly allowRules: readonly string[]
}

/** What is installed, as the person chose it; null for the first that is found. */
export interface Executables {
  readonly claude: { readonly executable: string | null }
  readonly codex: { readonly executable: string | null }
}

const limitMs = 30_000

/** Finds out whether an installed agent asks before it acts; null for one that has no settings of its own. */
export async function probeAgent(name: string, { claude, codex }: Executables): Promise<AgentProbe | null> {
  const { env } = process
  switch (name) {
    case 'claude': {
      const [{ claudeProbe }, { findClaude, programOf }] = await Promise.all([
        import('../claude/probe.ts'),
        import('../claude/find-claude.ts'),
      ])
      const program = await programOf(await findClaude(env, claude.executable), env)
      return { ...(await run(claudeProbe(claude.executable), program)), allowRules: [] }
    }
    case 'codex': {
      const [{ codexProbe }, { findCodex }, { filesWithAllowRules }] = await Promise.all([
        import('../codex/probe.ts'),
        import('../codex/find-codex.ts'),
        import('../codex/rules.ts'),
      ])
      const program = await findCodex(env, codex.executable)
      return { ...(await run(codexProbe(program), program)), allowRules: await filesWithAllowRules(env) }
    }
    default:
      return null
  }
}

async function run(probe: Probe, program: string): Promise<ProbeReport & { readonly version: string }> {
  const said = await versionOf(program, process.env)
  return { ...(await runProbe(probe, limitMs)), version: /\d+(\.\d+)+/.exec(said ?? '')?.[0] ?? program }
}
