import { readdirSync, readFileSync } from 'node:fs'

/** By what an agent's processes are known. */
export interface AgentProgram {
  /** For a driver, or for a whole process of bough. */
  readonly env: NodeJS.ProcessEnv
  /** The directory that it keeps everything in. All its processes have it in their environment. */
  readonly home: string
  /** Whether what was started with this runs turns: it may start others for a moment. */
  serves(commandLine: string): boolean
}

export const ofClaude = (env: NodeJS.ProcessEnv): AgentProgram => ({
  env,
  home: env.CLAUDE_CONFIG_DIR ?? '',
  serves: (commandLine) => commandLine.includes('stream-json'),
})

export const ofCodex = (env: NodeJS.ProcessEnv): AgentProgram => ({
  env,
  home: env.CODEX_HOME ?? '',
  serves: (commandLine) => commandLine.includes('app-server'),
})

/** What runs of an agent. */
export function processesOf({ home }: AgentProgram): readonly number[] {
  const sign = `=${home}\0`
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && environmentOf(pid).includes(sign))
    .filter((pid) => !commandOf(pid).includes('bough.js'))
}

/** Those that run turns. */
export const servingOf = (agent: AgentProgram): readonly number[] =>
  processesOf(agent).filter((pid) => agent.serves(commandOf(pid)))

/** What one of them was started with. */
export const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`)

const environmentOf = (pid: number): string => textOf(`/proc/${pid}/environ`)

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
