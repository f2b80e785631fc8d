// `npm run bench:opencode`: brings the opencode that `npm run bench` measures beside bough, into a directory of its own.
// Needs the network, once. It is no dependency: without it, the bench says so and goes on.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const version = '1.18.33'
const cache = fileURLToPath(new URL('../node_modules/.cache/opencode', import.meta.url))

/** Where its program is, once it is installed. */
export const program = join(cache, version, 'bin', 'opencode')

if (import.meta.main) install()

// The package of the platform holds the program itself: nothing is run to install it.
function install(): void {
  if (existsSync(program)) {
    console.log(`opencode ${version} is there: ${program}`)
    return
  }
  const aside = join(cache, `new-${process.pid}`)
  mkdirSync(aside, { recursive: true })
  try {
    const libc =
      existsSync('/lib/ld-musl-x86_64.so.1') || existsSync('/lib/ld-musl-aarch64.so.1') ? '-musl' : ''
    const name = `opencode-${process.platform}-${process.arch}${libc}@${version}`
    console.log(`Fetching ${name} from npm: 185 MB when unpacked …`)
    const fetched = ['pack', name, '--pack-destination', aside, '--ignore-scripts', '--loglevel=error']
    execFileSync('npm', fetched, { cwd: aside, stdio: ['ignore', 'ignore', 'inherit'] })
    const [archive = ''] = readdirSync(aside)
    execFileSync('tar', ['-xzf', join(aside, archive), '-C', aside])
    rmSync(join(cache, version), { recursive: true, force: true })
    renameSync(join(aside, 'package'), join(cache, version))
    console.log(`opencode ${version} is installed: ${program}`)
  } catch (error) {
    console.error(
      `opencode could not be installed (${error instanceof Error ? error.message : error}). This needs the network, npm and tar.`,
    )
    process.exitCode = 1
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}
