import { chmod, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeProbe } from '../claude/probe.ts'
import { runProbe } from './probe.ts'

test('a probe ends in time where the agent never answers, and leaves no process and no file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'silent-'))
  const program = join(directory, 'claude')
  const pidFile = join(directory, 'pid')
  await writeFile(program, `#!/bin/sh\necho $$ > '${pidFile}'\nexec sleep 1000\n`)
  await chmod(program, 0o755)
  await expect(runProbe(claudeProbe(program), 1_000)).rejects.toThrow('It did not answer within 1 s.')
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('bough-probe-'))).toEqual([])
  const pid = Number(await readFile(pidFile, 'utf8'))
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})
