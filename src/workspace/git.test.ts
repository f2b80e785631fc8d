import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// In a process of its own, which has opened all the files that it may: its parent would have none left either.
const crowded = `
  const { openSync } = await import('node:fs')
  const { tryGit, tryPair } = await import(${JSON.stringify(join(import.meta.dirname, 'git.ts'))})
  const { runSetUp } = await import(${JSON.stringify(join(import.meta.dirname, 'worktree/set-up.ts'))})
  const place = { cwd: '/', env: {} }
  const signal = new AbortController().signal
  const says = (work) => work.then(() => 'fine', (error) => error.code + ': ' + error.message)
  console.log(await says(tryGit(place, ['--version'])))
  try { for (;;) openSync('/dev/null') } catch {}
  console.log(await says(tryGit(place, ['--version'])))
  console.log(await says(tryPair(place, ['--version'], ['--version']).end))
  console.log(await says(runSetUp('true', '/', { signal, onOutput() {} })))
`

test('where no more files can be opened, what needs git fails with what to do, and nothing else', async () => {
  const node = [process.execPath, '--input-type=module', '-e', crowded]
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...node])
  expect(stderr).toBe('')
  expect(stdout.trim().split('\n')).toEqual([
    'fine',
    expect.stringMatching(/^snapshot_failed: git cannot be started: too much is open .*ulimit/),
    expect.stringMatching(/^snapshot_failed: git cannot be started: too much is open .*ulimit/),
    expect.stringMatching(/^worktree_failed: The set-up command cannot be started in \/: .*EMFILE/),
  ])
})
