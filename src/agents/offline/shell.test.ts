import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openRig, resultsIn, saidIn } from './test-rig.ts'

const execute = promisify(execFile)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a command runs in the directory, marked as an agent, with nothing to read', async () => {
  const { turn, cwd } = await openRig()
  const events = await turn(
    'run pwd -P; echo "$((BOUGH_AGENT == $PPID)) $0"; cat; test -c /dev/stdin && echo "$HOME"',
  )
  const directory = (await execute('pwd', ['-P'], { cwd })).stdout
  expect(resultsIn(events)).toMatchObject([
    { output: `${directory}1 sh\n${process.env.HOME}\n`, exitCode: 0 },
  ])
})

test('a command may begin with a dash and hold quotes', async () => {
  const { turn } = await openRig()
  const [result] = resultsIn(await turn(`run -x 2>/dev/null; echo "it's" '"$0"'`))
  expect(result?.output).toBe('it\'s "$0"\n')
})

test('what it prints comes in the order it was printed in, errors too', async () => {
  const { turn } = await openRig()
  const [result] = resultsIn(await turn('run for i in 1 2 3; do echo out$i; echo err$i >&2; done'))
  expect(result?.output).toBe('out1\nerr1\nout2\nerr2\nout3\nerr3\n')
})

test('characters survive the boundaries of what is read at once', async () => {
  const { turn } = await openRig()
  const program = `process.stdout.write('a' + '€'.repeat(40000))`
  const [result] = resultsIn(await turn(`run '${process.execPath}' -e "${program}"`))
  expect(result?.output).toBe(`a${'€'.repeat(40_000)}`)
})

test('of long output the middle is left out', async () => {
  const { turn } = await openRig()
  const [result] = resultsIn(await turn(`run echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo last`))
  expect(result?.output).toMatch(/^first\nx+\n\[… 2900011 characters left out …\]\nx+last\n$/)
})

test('a failed command has its exit code, 128 and the number when a signal ended it', async () => {
  const { turn } = await openRig()
  const events = await turn('run exit 3\nrun kill -TERM $$\nrun no-such-command-here')
  expect(resultsIn(events).map((result) => result.exitCode)).toEqual([3, 143, 127])
  expect(saidIn(events)).toContain('- run “exit 3”: failed with exit code 3')
})

test('a shell that cannot be started is a failed result', async () => {
  const { turn } = await openRig({ cwd: '/no/such/directory' })
  const events = await turn('run true')
  expect(resultsIn(events)).toMatchObject([
    { output: 'The shell could not be started: no such file or directory (ENOENT).', exitCode: 126 },
  ])
})

test('a command is a process group of its own, and the one that was recorded', async () => {
  const recorded: number[] = []
  const { turn } = await openRig({ recordProcess: async (pid) => void recorded.push(pid) })
  const [result] = resultsIn(await turn('run ps -o pgid= -p $$; echo $PPID'))
  expect(result?.output.split(/\s+/).filter(Boolean).map(Number)).toEqual([recorded[0], recorded[0]])
})

test('a command does nothing before it is recorded', async () => {
  const seen: string[][] = []
  const { turn, cwd } = await openRig({
    recordProcess: async () => {
      // Started later and done already: a command that did not wait would be done too.
      await execute('touch', [join(cwd, 'later')])
      seen.push(await readdir(cwd))
    },
  })
  await turn('run touch ran')
  expect(seen).toEqual([['later']])
  expect(await readdir(cwd)).toEqual(['later', 'ran'])
})

test('a command that cannot be recorded never runs, and the turn fails with the reason', async () => {
  const recorded: number[] = []
  const { turn, cwd } = await openRig({
    recordProcess: async (pid) => {
      recorded.push(pid)
      throw new Error('the store is full')
    },
  })
  await expect(turn('run touch ran\nwrite next: x')).rejects.toThrow('the store is full')
  expect(await readdir(cwd)).toEqual([])
  expect(recorded.map(isAlive)).toEqual([false])
})

test('a command never runs when bough dies before it is recorded', async () => {
  const { cwd } = await openRig()
  const bough = spawn(process.execPath, ['--input-type=module', '-e', programThatNeverRecords(cwd)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void bough.kill('SIGKILL'))
  const [printed] = await once(bough.stdout, 'data')
  const shell = Number(printed)
  expect(isAlive(shell)).toBe(true)
  bough.kill('SIGKILL')
  await once(bough, 'exit')
  await vi.waitFor(async () => expect(await stateOf(shell)).toMatch(/^(Z.*|gone)$/), { timeout: 30_000 })
  await expect(access(join(cwd, 'ran'))).rejects.toThrow('ENOENT')
})

test('what a command leaves behind in its group ends with it and holds up nothing', async () => {
  const { turn, cwd } = await openRig()
  const alive = await pipeOpenedBy(cwd)
  const [events, reader] = await Promise.all([
    turn('run exec 9>alive; sleep 1000 & echo done'),
    alive.opened(),
  ])
  expect(resultsIn(events)).toMatchObject([{ output: 'done\n', exitCode: 0 }])
  // The end of this file: nobody who could write to it is alive.
  expect(await reader.readFile('utf8')).toBe('')
})

test('a process that left the group and holds the output open does not hold up the turn', async () => {
  const { turn, cwd } = await openRig()
  const program =
    `const { pid } = require('child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' });
    require('fs').writeFileSync('pid', String(pid)); process.exit()`.replaceAll('\n', ' ')
  const [result] = resultsIn(await turn(`run echo before; '${process.execPath}' -e "${program}"`))
  process.kill(Number(await readFile(join(cwd, 'pid'), 'utf8')), 'SIGKILL')
  expect(result).toMatchObject({ output: 'before\n', exitCode: 0 })
})

test('interrupting a command ends also what has left its group', async () => {
  const { cwd, connection } = await openRig()
  const alive = await pipeOpenedBy(cwd)
  const stop = new AbortController()
  const events = Array.fromAsync(connection.send('run setsid sh -c "sleep 1000 > alive" & wait', stop.signal))
  const reader = await alive.opened()
  stop.abort()
  expect((await events).at(-1)).toEqual({ type: 'turn-finished', reason: 'interrupted' })
  // The end of this file: nobody who could write to it is alive.
  expect(await reader.readFile('utf8')).toBe('')
})

test('closing the connection ends the command that runs, with all its processes', async () => {
  const recorded: number[] = []
  const { turn, cwd, connection } = await openRig({ recordProcess: async (pid) => void recorded.push(pid) })
  const alive = await pipeOpenedBy(cwd)
  const events = turn('run sh -c "sleep 1000 > alive" & wait')
  const reader = await alive.opened()
  await connection.close()
  expect(recorded.map(isAlive)).toEqual([false])
  expect(await reader.readFile('utf8')).toBe('')
  expect((await events).at(-1)).toEqual({ type: 'turn-finished', reason: 'interrupted' })
})

/** A named pipe `alive`; `opened` waits until a process has it open for writing. */
async function pipeOpenedBy(cwd: string) {
  const path = join(cwd, 'alive')
  await execute('mkfifo', [path])
  return {
    opened: async () => {
      const reader = await open(path)
      onTestFinished(() => reader.close())
      return reader
    },
  }
}

const stateOf = (pid: number): Promise<string> =>
  execute('ps', ['-o', 'stat=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => 'gone',
  )

const programThatNeverRecords = (cwd: string): string => `
  const { createOfflineDriver } = await import(${JSON.stringify(import.meta.resolve('./offline.ts'))})
  const connection = await createOfflineDriver().open({
    sessionID: 'ses_test', model: null, cwd: ${JSON.stringify(cwd)}, systemPrompt: '', start: { kind: 'fresh' },
    history: async () => [], tools: [], askPermission: async () => ({ allow: true }),
    recordProcess: (pid) => { console.log(pid); return new Promise(() => {}) },
  })
  for await (const _ of connection.send('run touch ran', new AbortController().signal)) {}`
