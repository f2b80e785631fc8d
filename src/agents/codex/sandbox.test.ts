import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { call, msg } from '../../../test/support/fake-openai.ts'
import { type Respond, resultsIn, startRig } from './test-rig.ts'

/** A file where Codex's sandbox lets no command write: it leaves the usual directory for temporary files open. */
async function fileOutside(): Promise<string> {
  const directory = await mkdtemp('/var/tmp/bough-outside-')
  onTestFinished(() => rm(directory, { recursive: true }))
  return join(directory, 'made')
}

/** A model that runs the command it is told, and asks for more than that with these arguments. */
const asking =
  (extra: object): Respond =>
  (prompt) => ({ items: [prompt === '' ? msg('Well.') : call('exec_command', { cmd: prompt, ...extra })] })

const allow = async () => ({ allow: true }) as const
const escalated = { sandbox_permissions: 'require_escalated' }

test.each([
  ['and says why', { ...escalated, justification: 'I need it' }],
  ['and gives no reason', escalated],
])(
  'a command that asks to leave the sandbox %s is denied unasked, with how to be asked',
  async (_, extra) => {
    const [rig, file] = [await startRig(asking(extra)), await fileOutside()]
    const { turn, asked } = await rig.open({ askPermission: allow })
    const [result] = resultsIn(await turn(`touch ${file}`))
    expect(result?.output).toMatch(/^Denied: .*outside Codex's sandbox\. .*bough config codex\.sandbox ask$/)
    expect(asked).toEqual([])
    expect(existsSync(file)).toBe(false)
    expect(JSON.stringify(rig.fake.requests[0]?.body)).toContain(
      'a request to run one outside of it is declined',
    )
  },
)

test('where the person wants to be asked, the question says that a command leaves the sandbox', async () => {
  const [rig, file] = [await startRig(asking(escalated)), await fileOutside()]
  const { turn, asked } = await rig.open({ askPermission: allow }, await rig.another({ sandbox: 'ask' }))
  await turn(`touch ${file}`)
  const detail = `outside Codex's sandbox: touch ${file}`
  expect(asked).toMatchObject([
    { tool: 'run', action: 'run', detail, command: `touch ${file}`, eachTime: true },
  ])
  expect(existsSync(file)).toBe(true)
})

test('a resumed and a forked thread keep their commands in the sandbox too', async () => {
  const [rig, file] = [await startRig(asking(escalated)), await fileOutside()]
  const first = await rig.open({ askPermission: allow })
  const events = await first.turn('true')
  await first.connection.close()
  const nativeID =
    events.flatMap((event) => (event.type === 'native-session' ? [event.nativeID] : []))[0] ?? ''
  const at =
    events.flatMap((event) => (event.type === 'turn-finished' ? [event.nativeID ?? ''] : []))[0] ?? ''
  for (const kind of ['resume', 'fork'] as const) {
    const { turn, connection } = await rig.open({ askPermission: allow, start: { kind, nativeID, at } })
    expect(resultsIn(await turn(`touch ${file}`))).toMatchObject([
      { output: expect.stringContaining('Denied:') },
    ])
    await connection.close()
  }
  expect(existsSync(file)).toBe(false)
})
