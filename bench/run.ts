// `npm run bench`: builds, measures the bundle, and beside it those peers that are installed, prints a table, and fails when a
// figure is missed. A run of all groups writes the table to RESULTS.md, too.
//
//   npm run bench -- <groups>    measures only those; RESULTS.md stays as it is
//   npm run bench -- --peers     first installs opencode, Claude Code, Codex and pi, outside of the project, from npm
//   npm run bench -- --json      prints the rows as JSON instead of the table
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { talking } from './agents.ts'
import { circumstancesNow, loadNow } from './circumstances.ts'
import { forking } from './fork.ts'
import { cleaning } from './hostile-text.ts'
import { importing } from './imports.ts'
import { reading } from './line.ts'
import { listing } from './lists.ts'
import { elsewhere } from './measured-elsewhere.ts'
import { peersForking } from './peer-fork.ts'
import { peersCapturing } from './peer-snapshot.ts'
import { peersStarting } from './peer-start.ts'
import { drawResults, type MeasuredGroup, resultsFile } from './results.ts'
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
  peersStarting,
  showing,
  serverStarting,
  forking,
  reading,
  listing,
  importing,
  cleaning,
  capturing,
  forkingIntoWorktrees,
  peersForking,
  peersCapturing,
  talking,
  serverForking,
  serverListing,
  serverTelling,
  serverTurns,
]

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, peers: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const wanted = wantedGroups()
const note = values.json ? console.error : console.log

// What cannot be installed is said there, and in the table again.
if (values.peers) spawnSync(process.execPath, [script('install-peers.ts')], { stdio: ['ignore', 2, 2] })
execFileSync(process.execPath, [script('build.ts')])
const loadBefore = loadNow()
note(`Node ${process.version}, ${availableParallelism()} cores, load ${loadBefore}, data in ${tmpdir()}`)

const measured: MeasuredGroup[] = []
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
  console.log(`\n${drawTable(measured)}\n\nMeasured elsewhere:\n  ${elsewhere.join('\n  ')}\n`)
  console.log(`${missed === 0 ? 'Every figure is reached.' : `Missed: ${missed}.`} Load now ${loadNow()}.`)
}
if (wanted === groups) {
  await writeFile(resultsFile, drawResults(circumstancesNow(loadBefore), measured, elsewhere))
  note(`Written to ${relative(process.cwd(), resultsFile)}.`)
}
process.exitCode = missed === 0 ? 0 : 1

function script(name: string): string {
  return join(import.meta.dirname, '..', 'scripts', name)
}

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
