// `npm run bench`: builds, measures the bundle, prints a table, and fails when a figure is missed. With names of groups
// it measures only those; with --json it prints the rows as JSON instead.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { talking } from './agents.ts'
import { forking } from './fork.ts'
import { importing } from './imports.ts'
import { reading } from './line.ts'
import { listing } from './lists.ts'
import { opencodeNote } from './opencode-server.ts'
import { peers } from './peers.ts'
import { type Group, isMissed, type Row } from './row.ts'
import { serverTelling } from './server-events.ts'
import { serverForking } from './server-fork.ts'
import { serverListing } from './server-lists.ts'
import { serverStarting } from './server-start.ts'
import { serverTurns } from './server-turns.ts'
import { capturing } from './snapshot.ts'
import { startingUp } from './start-up.ts'
import { drawTable } from './table.ts'
import { showing } from './tui.ts'
import { forkingIntoWorktrees } from './worktree.ts'

// Whole commands first: starting a process costs more, the more memory the one that starts it has.
const groups: readonly Group[] = [
  startingUp,
  showing,
  serverStarting,
  forking,
  reading,
  listing,
  importing,
  capturing,
  forkingIntoWorktrees,
  talking,
  serverForking,
  serverListing,
  serverTelling,
  serverTurns,
]

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const wanted = wantedGroups()
const note = values.json ? console.error : console.log

execFileSync(process.execPath, [join(import.meta.dirname, '..', 'scripts', 'build.ts')])
note(`Node ${process.version}, ${availableParallelism()} cores, load ${loadNow()}, data in ${tmpdir()}`)
if (wanted.some(({ name }) => name.startsWith('server'))) note(opencodeNote)

const measured: { title: string; rows: readonly Row[] }[] = []
for (const group of wanted) {
  note(`… ${group.title}`)
  measured.push({ title: group.title, rows: await inOwnDirectory(group) })
}

const missed = measured.flatMap(({ rows }) => rows).filter(isMissed).length
if (values.json) {
  const rows = measured.flatMap(({ title, rows }) =>
    rows.map((row) => ({ group: title, ...row, missed: isMissed(row) })),
  )
  console.log(JSON.stringify(rows, null, 2))
} else {
  console.log(`\n${drawTable(measured)}\n\nPeers, measured elsewhere:\n  ${peers.join('\n  ')}\n`)
  console.log(`${missed === 0 ? 'Every figure is reached.' : `Missed: ${missed}.`} Load now ${loadNow()}.`)
}
process.exitCode = missed === 0 ? 0 : 1

function wantedGroups(): readonly Group[] {
  const unknown = positionals.find((name) => !groups.some((group) => group.name === name))
  if (unknown !== undefined)
    throw new Error(
      `There is no group "${unknown}". There are: ${groups.map(({ name }) => name).join(', ')}.`,
    )
  return positionals.length === 0 ? groups : groups.filter(({ name }) => positionals.includes(name))
}

async function inOwnDirectory(group: Group): Promise<readonly Row[]> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-bench-'))
  try {
    return await group.measure(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function loadNow(): string {
  return loadavg()[0]?.toFixed(1) ?? '?'
}
