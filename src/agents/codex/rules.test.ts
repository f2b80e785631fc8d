import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesWithAllowRules, hasAllowRule } from './rules.ts'
import { resultsIn, startRig } from './test-rig.ts'

test("the person's own rules let Codex run a command unasked, and are found: the one exception", async () => {
  const rig = await startRig()
  const rules = join(rig.env.CODEX_HOME ?? '', 'rules')
  await mkdir(rules)
  expect(await filesWithAllowRules(rig.env)).toEqual([])
  await writeFile(join(rules, 'default.rules'), 'prefix_rule(pattern=["touch"], decision="allow")\n')
  const { turn, asked } = await rig.open({
    askPermission: async () => ({ allow: false, reason: 'no' }),
  })
  expect(resultsIn(await turn('run touch a.txt'))).toMatchObject([{ exitCode: 0 }])
  expect(asked).toEqual([])
  expect(await filesWithAllowRules(rig.env)).toEqual([join(rules, 'default.rules')])
})

test.each([
  ['prefix_rule(pattern=["git"], decision="allow")', true],
  ['prefix_rule(\n  pattern = ["git", "status"],\n)', true],
  ['prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["ls"])', true],
  ['prefix_rule(pattern=["rm"], decision = "prompt", justification = "why")', false],
  ["prefix_rule(pattern=['rm'], decision='forbidden')", false],
  ['# prefix_rule(pattern=["git"], decision="allow")\n', false],
  ['', false],
])('whether rules allow anything is seen: %j', (text, allows) => {
  expect(hasAllowRule(text)).toBe(allows)
})
