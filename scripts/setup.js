// Installs what is missing before `npm start` and `npm test`. Runs on the machine's own Node (20 or newer),
// before anything of ours is installed, so: plain JavaScript, no imports but the platform's.
//
//   node scripts/setup.js run     what bough needs to run
//   node scripts/setup.js test    that, the development tools, and the system packages of the tests
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const forTests = process.argv[2] === 'test'

if (!packagesInstalled()) installPackages()
if (forTests) installSystemPackages({ tmux: 'tmux', chromium: 'chromium', bwrap: 'bubblewrap' })

// npm's own record of what it installed decides, so that a changed lockfile is noticed and an unchanged one costs nothing.
function packagesInstalled() {
  const record = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(record)) return false
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || (entry.dev && !forTests) || !fitsThisMachine(entry)) return true
    return installed[path]?.version === entry.version && existsSync(join(root, path, 'package.json'))
  })
}

function fitsThisMachine({ os, cpu, libc }) {
  return (
    (!os || [os].flat().includes(process.platform)) &&
    (!cpu || [cpu].flat().includes(process.arch)) &&
    (!libc || [libc].flat().includes(libcOfThisMachine()))
  )
}

function libcOfThisMachine() {
  return existsSync('/lib/ld-musl-x86_64.so.1') || existsSync('/lib/ld-musl-aarch64.so.1') ? 'musl' : 'glibc'
}

function installPackages() {
  console.error(
    `bough: installing ${forTests ? 'packages and development tools' : 'what it needs to run'} (once) …`,
  )
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...(forTests ? [] : ['--omit=dev'])]
  const { status } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', process.stderr, process.stderr] })
  if (status !== 0) fail('npm could not install the packages: see its message above, then try again.')
}

// `programs` maps each program the tests start to the Debian package that brings it.
function installSystemPackages(programs) {
  const missing = Object.keys(programs).filter(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  )
  if (missing.length === 0) return
  const packages = missing.map((name) => programs[name])
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    fail(`the tests need ${missing.join(', ')}. Install with your package manager: ${packages.join(' ')}`)
  }
  console.error(`bough: installing ${packages.join(', ')} for the tests (once) …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = `apt-get -qq update && apt-get -qq install -y --no-install-recommends ${packages.join(' ')}`
  const { status } = spawnSync('sh', ['-c', install], {
    env,
    stdio: ['ignore', process.stderr, process.stderr],
  })
  if (status !== 0) fail(`could not install ${packages.join(', ')}: see the message above.`)
}

function fail(message) {
  console.error(`bough: ${message}`)
  process.exit(1)
}
