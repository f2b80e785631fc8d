import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { count } from '../../../test/support/size.ts'
import { captureFiles } from '../capture/capture-files.ts'
import { readFiles } from '../capture/few-changes.ts'
import { findProject } from '../project.ts'
import { Shadow } from '../shadow/shadow.ts'
import { contentsOf, newDirectory, newRepository, put } from '../testing/ground.ts'
import { copyIncluded } from '../worktree/include-files.ts'
import { removeDirectory } from '../worktree/remove-directory.ts'
import { applyRestore } from './restore-files.ts'
import { planRestore } from './restore-plan.ts'

// A process of the project swaps one of its directories for a link that leads out, as fast as it can.

const swapper = fileURLToPath(new URL('../testing/swapper.ts', import.meta.url))
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** Does work while the directory is swapped; afterwards it is a directory again. */
async function whileSwapped<T>(directory: string, elsewhere: string, work: () => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [swapper, directory, elsewhere], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const end = async () => {
    child.kill('SIGKILL')
    await ended
    const away = `${directory}.away`
    if (lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(directory)
    if (existsSync(away) && !existsSync(directory)) renameSync(away, directory)
  }
  ends.push(end)
  await once(child.stdout, 'data')
  const result = await work()
  await end()
  return result
}

const named = (content: (i: number) => string, many = 200) =>
  Object.fromEntries(Array.from({ length: many }, (_, i) => [`d/e/file${i}`, content(i)]))

test('a restore writes and deletes nothing outside of the project while its directories are swapped', async () => {
  const [data, elsewhere] = [await newDirectory('data'), await newDirectory('elsewhere')]
  const root = await newRepository(named((i) => `one ${i}`))
  const project = await findProject(root)
  const shadow = await Shadow.open(data, project)
  const one = await captureFiles(shadow, project, 1 << 30)
  let [outside, rounds, late] = [0, 0, 0]
  for (; rounds < count(30, 3); rounds++) {
    mkdirSync(join(elsewhere, 'e'), { recursive: true })
    // Half of the files are there too: none may be replaced or deleted.
    const there = Object.fromEntries(
      Object.entries(named((i) => `theirs ${i}`)).filter((_, i) => i % 2 === 0),
    )
    const theirs = Object.fromEntries(Object.entries(there).map(([path, text]) => [path.slice(2), text]))
    put(elsewhere, theirs)
    const before = readdirSync(elsewhere, { recursive: true }).length
    put(root, { ...named((i) => `two ${i}, round ${rounds}`, 100), [`d/e/new${rounds}`]: 'new' })
    for (let i = 150; i < 200; i++) rmSync(join(root, `d/e/file${i}`), { force: true })
    const from = await captureFiles(shadow, project, 1 << 30)
    const plan = await planRestore(shadow, project, from, { tree: one.tree, missing: [] })
    const left = await whileSwapped(join(root, 'd'), elsewhere, () => applyRestore(shadow, project, plan))
    late += left.length
    outside += Math.abs(readdirSync(elsewhere, { recursive: true }).length - before)
    outside += Object.entries(theirs).filter(([path, text]) => !hasText(join(elsewhere, path), text)).length
    rmSync(join(elsewhere, 'e'), { recursive: true })
  }
  process.stdout.write(
    `${rounds} restores of 151 files against a swap: ${outside} files outside, ${late} left\n`,
  )
  expect(outside).toBe(0)
})

test('neither a capture nor .worktreeinclude reads what lies outside while directories are swapped', async () => {
  const [data, elsewhere, to] = [
    await newDirectory('data'),
    await newDirectory('elsewhere'),
    await newDirectory('to'),
  ]
  const root = await newRepository({ '.gitignore': 'd/', '.worktreeinclude': 'd/\n' })
  put(
    root,
    named((i) => `own ${i}`, 30),
  )
  put(
    elsewhere,
    Object.fromEntries(Object.keys(named(() => '', 30)).map((path) => [path.slice(2), 'secret'])),
  )
  const project = await findProject(root)
  const shadow = await Shadow.open(data, project)
  const paths = Object.keys(named(() => '', 30))
  let [secrets, read, copied] = [0, 0, 0]
  await whileSwapped(join(root, 'd'), elsewhere, async () => {
    for (let i = 0; i < count(100_000, 5_000); i++) {
      const [blob] = readFiles(root, paths.slice(i % paths.length).slice(0, 1), 'a'.repeat(40))?.blobs ?? []
      if (blob) read++
      if (blob?.bytes.includes('secret')) secrets++
    }
    for (let i = 0; i < count(50, 8); i++) {
      const own = join(to, String(i))
      mkdirSync(own)
      copied += (await copyIncluded(shadow, project, own)).copied
    }
  })
  for (const path of readdirSync(to, { recursive: true, encoding: 'utf8' }))
    if (hasText(join(to, path), 'secret')) secrets++
  process.stdout.write(`${read} files read and ${copied} copied against a swap: ${secrets} from outside\n`)
  expect(secrets).toBe(0)
})

test('a capture of many files holds nothing from outside while directories are swapped', async () => {
  const [data, elsewhere] = [await newDirectory('data'), await newDirectory('elsewhere')]
  const root = await newRepository(named((i) => `own ${i}`))
  put(elsewhere, {
    ...Object.fromEntries(Object.keys(named(() => '')).map((path) => [path.slice(2), 'secret'])),
    'e/more': 'secret',
  })
  const project = await findProject(root)
  const shadow = await Shadow.open(data, project)
  let [held, secrets, missing] = [0, 0, 0]
  const rounds = count(60, 3)
  for (let round = 0; round < rounds; round++) {
    put(
      root,
      named((i) => `own ${i}, round ${round}`),
    )
    const captured = await whileSwapped(join(root, 'd'), elsewhere, () =>
      captureFiles(shadow, project, 1 << 30),
    )
    const contents = Object.values(contentsOf({ shadow, tree: captured.tree }))
    held += contents.filter((content) => content.includes(`round ${round}`)).length
    secrets += contents.filter((content) => content.includes('secret')).length
    missing += captured.missing.length
  }
  process.stdout.write(
    `${rounds} captures of 200 files against a swap: ${secrets} from outside, ${held} held, ${missing} named\n`,
  )
  expect(secrets).toBe(0)
})

test('a removal deletes nothing outside while directories are swapped', async () => {
  const elsewhere = await newDirectory('elsewhere')
  const theirs = Object.fromEntries(Object.keys(named(() => '')).map((path) => [path.slice(2), 'theirs']))
  put(elsewhere, theirs)
  let failed = 0
  const rounds = count(100, 8)
  for (let round = 0; round < rounds; round++) {
    const own = join(await newDirectory('worktree'), 'own')
    put(
      own,
      named((i) => `own ${i}`),
    )
    const removing = () => removeDirectory(own).catch(() => failed++)
    await whileSwapped(join(own, 'd'), elsewhere, removing)
  }
  const deleted = Object.keys(theirs).filter((path) => !existsSync(join(elsewhere, path))).length
  process.stdout.write(`${rounds} removals against a swap: ${deleted} deleted outside, ${failed} given up\n`)
  expect(deleted).toBe(0)
})

function hasText(path: string, text: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && readFileSync(path, 'utf8') === text
}
