import { once } from 'node:events'
import { join } from 'node:path'
import { makeProject } from './made-up-project.ts'
import type { Group, Row } from './row.ts'
import { boughServe } from './server-bundle.ts'
import { type ServerProcess, withServer } from './server-process.ts'
import { quantile } from './server-quantile.ts'
import { interleave, Subject } from './subject.ts'

const atOnce = 50
const rounds = 5
const files = 100

export const serverTurns: Group = {
  name: 'server-turns',
  title: `${atOnce} turns of the offline agent over HTTP, in a project of ${files} files`,
  async measure(directory) {
    await makeProject(join(directory, 'project'), files)
    return withServer(boughServe(directory), runTurns)
  },
}

async function runTurns(server: ServerProcess): Promise<readonly Row[]> {
  const ids: string[] = []
  for (let made = 0; made < atOnce; made++) ids.push((await server.make('/session', { agent: 'offline' })).id)
  const [one = ''] = ids
  const alone = new Subject('a turn alone', () => turn(server, one))
  const times: number[] = []
  const together = new Subject(`${atOnce} at once, until the last has ended`, async () => {
    times.push(...(await Promise.all(ids.map((id) => timeOf(() => turn(server, id))))))
  })
  await interleave([alone], 10)
  await interleave([together], rounds)
  const counted = times.slice(-rounds * atOnce)
  const baseline = { what: 'alone', measured: alone.result.measured }
  const fact = (what: string, measured: number): Row => ({
    kind: 'fact',
    what,
    unit: 'ms',
    measured,
    baseline,
  })
  return [
    { kind: 'fact', ...alone.result },
    { kind: 'fact', ...together.result, baseline },
    fact('  one of them, p50', quantile(counted, 0.5)),
    fact('  one of them, p99', quantile(counted, 0.99)),
  ]
}

/** To its end, as a reader of its events. */
async function turn(server: ServerProcess, id: string): Promise<void> {
  const sent = { text: 'A prompt.' }
  const stream = await server.open('POST', `/session/${id}/message`, sent, 'text/event-stream')
  let shown = ''
  stream.setEncoding('utf8').on('data', (piece: string) => {
    shown += piece
  })
  await once(stream, 'end')
  if (!shown.includes('"outcome":"finished"')) throw new Error(`The turn did not finish: ${shown}`)
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
