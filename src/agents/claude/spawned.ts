import { EventEmitter } from 'node:events'
import type { SpawnedProcess } from '@anthropic-ai/claude-agent-sdk'
import type { AgentProcess } from '../agent-process.ts'

/** A process as the SDK wants to see it. Ending it is left to the connection, which ends also what it started. */
export function spawned(process: AgentProcess): SpawnedProcess {
  const events = new EventEmitter<{ exit: [number | null, NodeJS.Signals | null]; error: [Error] }>()
  void process.exited.then(({ code, signal }) => events.emit('exit', code, signal))
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    get killed() {
      return process.exit !== null
    },
    get exitCode() {
      return process.exit?.code ?? null
    },
    get signalCode() {
      return process.exit?.signal ?? null
    },
    kill: () => process.exit === null,
    on: events.on.bind(events) as SpawnedProcess['on'],
    once: events.once.bind(events) as SpawnedProcess['once'],
    off: events.off.bind(events) as SpawnedProcess['off'],
  }
}
