import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { captureFiles } from '../capture/capture-files.ts'
import { findProject } from '../project.ts'
import { Shadow } from '../shadow/shadow.ts'
import { usingShadow } from '../shadow/shadow-use.ts'
import { tidyShadow } from '../shadow/tidy-shadow.ts'

// `tidy <shadow> <file with the wanted ids>`: tidies without end, and says whether it could.
// `capture <shadow> <data> <project> <name>`: changes a file, captures, keeps, and says so, without end.
// `use <shadow>`: says that it uses it, and does until it is killed.

const [what, directory = '', ...args] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)

async function tidy([file = '']: readonly string[]): Promise<void> {
  say('began')
  for (;;) {
    const wanted = async () => new Set(readFileSync(file, 'utf8').split('\n'))
    const { busy } = await tidyShadow(directory, wanted)
    say(busy ? 'busy' : 'tidied')
  }
}

async function capture([data = '', root = '', name = '']: readonly string[]): Promise<void> {
  const project = await findProject(root)
  for (let i = 0; ; i++) {
    writeFileSync(join(root, name), String(i))
    await usingShadow(directory, async () => {
      const shadow = await Shadow.open(data, project)
      const { tree } = await captureFiles(shadow, project, 1 << 30)
      await shadow.keep(`snp_${name}${i}`, tree)
      say(`${i} ${tree}`)
    })
    // Room for others between two.
    await pause(Math.random() * 40)
  }
}

if (what === 'tidy') await tidy(args)
else if (what === 'capture') await capture(args)
else
  await usingShadow(directory, async () => {
    say('using')
    await pause(2 ** 30)
  })
