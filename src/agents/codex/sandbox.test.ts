import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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

test('commands that are allowed never run again outside the sandbox when it stops them', async () => {
  const [rig, file] = [await startRig(), await fileOutside()]
  const { turn, asked } = await rig.open({ askPermission: allow })
  for (let i = 0; i < 20; i++) {
    expect(resultsIn(await turn(`run touch in${i}; touch ${file}${i}`))).toMatchObject([
      { output: expect.stringContaining('Read-only file system'), exitCode: 1 },
    ])
  }
  expect(asked).toHaveLength(20)
  expect(await readdir(rig.cwd)).toHaveLength(20)
  expect(await readdir(dirname(file))).toEqual([])
}, 60_000)

test("rules of the person's, and settings without a sandbox, let no command out of it", async () => {
  const [rig, file] = [await startRig(), await fileOutside()]
  const home = rig.env.CODEX_HOME ?? ''
  await rig.configure('model =', 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\nmodel =')
  await mkdir(join(home, 'rules'))
  await writeFile(join(home, 'rules', 'a.rules'), 'prefix_rule(pattern=["touch"], decision="allow")\n')
  const { turn, asked } = await rig.open({ askPermission: allow })
  for (const command of [`touch ${file}`, `touch here; touch ${file}`]) await turn(`run ${command}`)
  expect(asked).toEqual([])
  expect(await readdir(rig.cwd)).toEqual(['here'])
  expect(existsSync(file)).toBe(false)
})

test("commands cannot read Codex's own login, and write where the person's settings let them", async () => {
  const file = await fileOutside()
  // Codex reads such names as patterns in some places.
  const directory = join(dirname(file), 'odd [name]*')
  await mkdir(directory)
  const settings = `[sandbox_workspace_write]\nexclude_slash_tmp = true\nnetwork_access = true\nwritable_roots = ["${directory}"]\n`
  const rig = await startRig(undefined, settings)
  await writeFile(join(rig.env.CODEX_HOME ?? '', 'auth.json'), 'secret')
  const { turn } = await rig.open({ askPermission: allow })
  const words = (command: string) => turn(`run ${command}`).then((events) => resultsIn(events)[0]?.output)
  expect(await words('echo; cat $CODEX_HOME/auth.json; true')).toContain('Permission denied')
  expect(await words(`touch '${directory}/made' $TMPDIR/a && echo written`)).toBe('written\n')
  expect(await words(`curl -sS -o reply ${rig.fake.url}/nothing && echo reached`)).toBe('reached\n')
})
