import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  type Probe,
  type ProbeGround,
  promptFor,
  runProbe,
  withGround,
} from '../../src/agents/probe/probe.ts'

export interface ProbedProgram {
  readonly probe: Probe
  /** The command with which the agent's own tool takes a prompt in these settings. */
  byHand(prompt: string): Promise<readonly [program: string, ...args: string[]]>
  readonly env?: NodeJS.ProcessEnv
  /** The file that the agent leaves when it has loaded the settings although bough runs it. */
  traces(ground: ProbeGround): readonly string[]
}

/** What holds for every agent that has settings of its own, with the version that is installed. */
export function describeProbe(name: string, { probe, byHand, env, traces }: ProbedProgram): void {
  describe(`${name}, with every setting and hook of the person and of the project set to "allow"`, () => {
    it('does nothing that is denied, and nothing that nobody answers', async () => {
      const before = await leftovers()
      let isLoaded: readonly boolean[] = []
      const watched: Probe = {
        ...probe,
        prepare: async (ground) => {
          const agent = await probe.prepare(ground)
          const close = async () => {
            isLoaded = traces(ground).map((path) => existsSync(path))
            await agent.driver.close()
          }
          return { ...agent, driver: { ...agent.driver, close } }
        },
      }
      expect(await runProbe(watched, 60_000)).toEqual({ ran: [], unknown: [] })
      expect(isLoaded.filter((loaded) => !loaded)).toEqual([])
      expect(await leftovers()).toEqual(before)
    })

    it('acts unasked in its own tool, so the settings do what they should', async () => {
      await withGround(probe, async (ground, agent) => {
        const [program, ...args] = await byHand(promptFor(0))
        const running = promisify(execFile)(program, args, {
          cwd: ground.project,
          env: { ...agent.env, ...env },
        })
        running.child.stdin?.end()
        await running
        expect(agent.attempts[0]?.hasRun()).toBe(true)
        await agent.driver.close()
      })
    })

    it('is told apart from one that acts unasked', async () => {
      const careless: Probe = {
        ...probe,
        prepare: async (ground) => {
          const agent = await probe.prepare(ground)
          const open: typeof agent.driver.open = (options) =>
            agent.driver.open({ ...options, askPermission: async () => ({ allow: true }) })
          return { ...agent, attempts: agent.attempts.slice(0, 1), driver: { ...agent.driver, open } }
        },
      }
      expect(await runProbe(careless, 60_000)).toMatchObject({ ran: [expect.any(String)] })
    })
  })
}

const leftovers = async (): Promise<readonly string[]> =>
  (await readdir(tmpdir()))
    .filter((name) => name.startsWith('bough-probe-'))
    .map((name) => join(tmpdir(), name))
