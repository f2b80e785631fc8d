import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { begin } from './support/agent-ground.ts'
import { processesOf } from './support/agent-processes.ts'
import { portOf } from './support/port-of.ts'
import { realClaude, realCodex } from './support/real-agents.ts'
import { until } from './support/until.ts'

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()

const commit = 'git add new.txt; git -c user.name=a -c user.email=a@b commit -qm "In the sandbox"'

/** Writes to each of these; what that says is not what counts. */
const writeTo = (...paths: readonly string[]): string =>
  `for path in ${paths.join(' ')}; do (echo changed >> $path); done; echo tried`

for (const real of [realClaude, realCodex]) {
  describe(real.name, () => {
    test('an agent in a sandbox commits in its worktree, and can change nothing outside', async () => {
      const key = join(homedir(), '.ssh/id_test')
      mkdirSync(join(homedir(), '.ssh'), { recursive: true })
      writeFileSync(key, 'private key')
      writeFileSync(join(homedir(), '.profile'), 'mine\n')
      const { agent, bough, root, sessionID, say, received } = await begin(real)
      await say('hello')
      const fork = await bough.fork(sessionID, { files: 'worktree', sandbox: 'on' })
      await say(`run echo fork > new.txt; ${commit}`, fork.id)
      const [common = '', own = ''] = ['--git-common-dir', '--git-dir'].map((which) =>
        git(fork.directory, 'rev-parse', '--path-format=absolute', which),
      )
      const ours = [
        join(common, 'config'),
        join(own, 'commondir'),
        join(own, 'gitdir'),
        join(fork.directory, '.git'),
      ]
      const theirs = [join(root, 'a.txt'), join(homedir(), '.profile'), join(common, 'refs/heads/main')]
      const before = [...ours, ...theirs].map((path) => readFileSync(path, 'utf8'))
      await say(
        `run ${writeTo(...ours, ...theirs, join(common, 'hooks/pre-commit'), join(common, 'commondir'))}`,
        fork.id,
      )
      await say(`run cat ${key}; ls ${process.env.BOUGH_HOME}/*; ls -d /proc/${process.pid}`, fork.id)
      expect(received().join('\n')).toContain('tried')
      expect(received().join('\n')).not.toContain('private key')
      expect([...ours, ...theirs].map((path) => readFileSync(path, 'utf8'))).toEqual(before)
      expect(() => readFileSync(join(common, 'hooks/pre-commit'))).toThrow()
      expect(() => readFileSync(join(common, 'commondir'))).toThrow()
      expect(git(fork.directory, 'log', '--format=%s', '-1')).toBe('In the sandbox')
      expect(git(fork.directory, 'status', '--short')).toBe('')
      await bough.close()
      await until('nothing of the agent to run', () => processesOf(agent).length === 0)
    })
  })
}

for (const real of [realClaude, realCodex]) {
  test(`${real.name}: an agent without a network reaches its model, and nothing else`, async () => {
    const other = createServer((_, answer) => void answer.end('reached')).listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const url = `http://127.0.0.1:${portOf(other)}`
    const { bough, say, root, received, agent } = await begin(real, { sandbox: { network: 'off' } })
    const { id } = await bough.create({ agent: agent.name, directory: root, sandbox: 'on' })
    await say(`run curl -sm 5 ${url}; curl -sm 5 --noproxy "" -x 127.0.0.1:3128 ${url}; echo tried`, id)
    expect(received().join('\n')).toContain('tried')
    expect(received().join('\n')).not.toContain('reached')
    await bough.close()
  })
}

test("Codex keeps its own sandbox inside of bough's", async () => {
  const { bough, say, root, received } = await begin(realCodex)
  const { id } = await bough.create({ agent: 'codex', directory: root, sandbox: 'on' })
  await say('run echo own=$CODEX_SANDBOX_NETWORK_DISABLED; ls /sys/class/net', id)
  expect(received().join('\n')).toMatch(/own=1\n/)
})
