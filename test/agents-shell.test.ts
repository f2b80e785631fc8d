import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { begin } from './support/agent-ground.ts'
import { realClaude, realCodex } from './support/real-agents.ts'
import { createWorld, launcher } from './support/run-bough.ts'

const program = `'${process.execPath}' '${launcher}'`
const refusal = /An agent may not use \\*"bough config\\*"/

/** Ways to run a command without the mark in its own environment. */
const evasions = (line: string): Readonly<Record<string, string>> => ({
  'env -u': `env -u BOUGH_AGENT ${line}`,
  'env -i': `env -i PATH="$PATH" HOME="$HOME" BOUGH_HOME="$BOUGH_HOME" ${line}`,
  'an unset in a shell of its own': `sh -c "unset BOUGH_AGENT; exec ${line}"`,
  'an empty mark': `BOUGH_AGENT= ${line}`,
  'a session of its own': `env -u BOUGH_AGENT setsid -w ${line}`,
  'a terminal of its own': `env -u BOUGH_AGENT script -qec "${line}" /dev/null`,
  'a parent that is gone': [
    `env -u BOUGH_AGENT sh -c "(${line} >said 2>&1; mv said orphan) &"`,
    'while ! test -e orphan; do sleep 0.05; done; cat orphan',
  ].join('; '),
})

describe('in the shell of the offline agent', () => {
  it('bough is refused what is for persons, however the command hides its environment', async () => {
    const world = createWorld()
    await world.ok('config', 'permissions.allow', '["run"]')
    const session = (await world.ok('new')).trim()
    const lines = Object.values(evasions(`${program} config permissions.timeout 1`))
    await world.ok('send', session, lines.map((line) => `run ${line}`).join('\n'))
    const said = await world.ok('log', session, '--json')
    expect(said.match(new RegExp(refusal, 'g'))).toHaveLength(lines.length)
    expect(await world.ok('config', 'permissions.timeout')).toBe('600\n')
  })

  it('nobody speaks in the name of the person, or deletes what is theirs', async () => {
    const world = createWorld()
    await world.ok('config', 'permissions.allow', '["run"]')
    const [victim, session] = [(await world.ok('new')).trim(), (await world.ok('new')).trim()]
    await world.ok('send', victim, 'mine')
    const lines = [
      `send ${victim} forged`,
      `chat ${victim}`,
      `rm --yes ${victim}`,
      `fork ${victim} --prompt forged`,
    ]
    await world.ok(
      'send',
      session,
      lines.map((line) => `run env -u BOUGH_AGENT ${program} ${line}`).join('\n'),
    )
    expect((await world.ok('log', session, '--json')).match(/An agent may not use/g)).toHaveLength(
      lines.length,
    )
    expect(await world.ok('log', victim)).not.toContain('forged')
    expect(JSON.parse(await world.ok('ls', '--json'))).toHaveLength(2)
  })

  it('bough without a command opens nothing, in a terminal neither', async () => {
    const world = createWorld()
    await world.ok('config', 'permissions.allow', '["run"]')
    const session = (await world.ok('new')).trim()
    await world.ok(
      'send',
      session,
      `run ${program}\nrun env -u BOUGH_AGENT script -qec "${program}" /dev/null`,
    )
    expect((await world.ok('log', session, '--json')).match(/An agent may not use/g)).toHaveLength(2)
    expect(JSON.parse(await world.ok('ls', '--json'))).toHaveLength(1)
  })
})

describe.each([
  ['claude', realClaude],
  ['codex', realCodex],
] as const)('in the shell of %s', (_, real) => {
  it('bough is refused what is for persons, however the command hides its environment', async () => {
    const { bough, sessionID, say, home } = await begin(real)
    const before = readFileSync(home.config, 'utf8')
    const line = `BOUGH_HOME='${home.data}' ${program} config permissions.timeout 1`
    for (const hidden of [`env -u BOUGH_AGENT ${line}`, `env -i PATH="$PATH" setsid -w env ${line}`])
      await say(`run ${hidden}`)
    const results = (await bough.messages(sessionID)).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' ? part.output : [])),
    )
    expect(results).toHaveLength(2)
    expect(results.filter((output) => !refusal.test(output))).toEqual([])
    expect(readFileSync(home.config, 'utf8')).toBe(before)
  })
})
