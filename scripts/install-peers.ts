// Brings the agents that `npm run bench` measures beside bough, each into a directory of its own outside of the project:
// `npm run bench -- --peers` calls it. Needs npm's registry, once. They are no dependencies: where one is missing, the bench
// says so and goes on. No script of theirs is run to install them.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Installable {
  readonly name: string
  readonly version: string
  /** For npm: the program itself where a package of the platform holds it. */
  readonly packages: readonly string[]
  /** All of it is there as soon as this directory is. */
  readonly directory: string
}

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'bough-bench')
const isMusl = existsSync('/lib/ld-musl-x86_64.so.1') || existsSync('/lib/ld-musl-aarch64.so.1')

/** As packages of a platform are named. */
export const platform = `${process.platform}-${process.arch}`
export const platformAndLibc = `${platform}${isMusl ? '-musl' : ''}`

const installable = (name: string, version: string, ...packages: readonly string[]): Installable => ({
  name,
  version,
  packages,
  directory: join(cache, `${name}-${version}`),
})

export const opencode = installable('opencode', '1.18.33', `opencode-${platformAndLibc}@1.18.33`)
export const claude = installable(
  'claude',
  '2.1.326',
  `@anthropic-ai/claude-code-${platformAndLibc}@2.1.326`,
  // Of the same day: its way to fork is a function there.
  '@anthropic-ai/claude-agent-sdk@0.3.326',
)
export const codex = installable('codex', '0.169.0', `@openai/codex@0.169.0-${platform}`)
// Later ones ask for packages of theirs that were not published.
export const pi = installable('pi', '0.87.1', '@earendil-works/pi-coding-agent@0.87.1')

export const isInstalled = ({ directory }: Installable): boolean => existsSync(directory)

/** Where a file of one of its packages is. */
export const fileOf = ({ directory }: Installable, ...path: readonly string[]): string =>
  join(directory, 'node_modules', ...path)

if (import.meta.main) for (const each of [opencode, claude, codex, pi]) install(each)

function install(wanted: Installable): void {
  const { name, version, directory } = wanted
  if (isInstalled(wanted)) {
    console.log(`${name} ${version} is there.`)
    return
  }
  mkdirSync(dirname(directory), { recursive: true })
  const aside = mkdtempSync(`${directory}-`)
  try {
    console.log(`Fetching ${name} ${version} from npm …`)
    fetchInto(aside, wanted.packages)
    renameSync(aside, directory)
  } catch (error) {
    const why = error instanceof Error ? error.message : error
    console.error(`${name} ${version} could not be installed (${why}). This needs the network and npm.`)
    process.exitCode = 1
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

// Optional packages are those of the other platforms.
function fetchInto(directory: string, packages: readonly string[]): void {
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n')
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const args = ['install', '--prefix', directory, '--ignore-scripts', '--omit=optional', ...quiet]
  execFileSync('npm', [...args, ...packages], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] })
}
