import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { newHome, openForTest } from '../../test/support/bough.ts'
import { permissionWords } from '../tree/permission-words.ts'

/** A session of the offline agent, whose questions are all answered and kept. */
async function openGround({
  permissions = {},
  directory,
}: {
  permissions?: object
  directory?: string
} = {}) {
  const home = await newHome()
  await mkdir(dirname(home.config), { recursive: true })
  await writeFile(home.config, JSON.stringify({ agent: 'offline', permissions }))
  const bough = await openForTest(home)
  const session = await bough.create({ directory: directory ?? home.project })
  const asked: string[] = []
  return {
    asked,
    bough,
    project: home.project,
    data: home.data,
    /** One turn; everything that is asked gets the same answer. Returns what the tools said. */
    async turn(prompt: string, answer: { allow: boolean; scope?: 'call' | 'session' } = { allow: false }) {
      const outputs: string[] = []
      for await (const event of (await bough.send(session.id, prompt)).events) {
        if (event.type === 'tool-result') outputs.push(event.result.output)
        if (event.type !== 'permission') continue
        asked.push(permissionWords(event.permission))
        await bough.answer(event.permission.id, { scope: 'call', ...answer })
      }
      return outputs
    },
  }
}

it('a question about a link says where it leads, wherever it is shown', async () => {
  const { asked, project, turn, bough } = await openGround()
  const target = join(dirname(project), `${project.slice(-6)}-target.txt`)
  await symlink(target, join(project, 'notes.txt'))
  await turn('write notes.txt: hello', { allow: true })
  expect(asked).toEqual([`write: ${project}/notes.txt (leads to ${target})`])
  expect(await readFile(target, 'utf8')).toBe('hello\n')
  expect(await bough.permissions()).toEqual([])
})

it('an approval for the whole session covers no protected file', async () => {
  const { asked, project, turn } = await openGround()
  const session = { allow: true, scope: 'session' } as const
  await turn(`write ${project}-out.txt: x\nwrite .envrc: x\nwrite .envrc: y`, session)
  const caution = ' (programs take commands from this file)'
  expect(asked).toEqual([
    `write: ${project}-out.txt`,
    `write: ${project}/.envrc${caution}`,
    `write: ${project}/.envrc${caution}`,
  ])
})

it('in the home directory every file is asked, and nothing is done unasked', async () => {
  const home = process.env.HOME ?? ''
  const { asked, turn } = await openGround({ directory: home })
  await writeFile(join(home, 'secret'), 'secret')
  onTestFinished(() => writeFile(join(home, 'secret'), ''))
  const outputs = await turn('write .bashrc: x\nwrite notes.txt: x\nread secret\ndelete secret')
  expect(asked).toHaveLength(4)
  expect(outputs.join()).not.toContain('secret\n')
  await expect(readFile(join(home, 'notes.txt'))).rejects.toThrow('ENOENT')
})
