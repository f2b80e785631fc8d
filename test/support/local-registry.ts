import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { portOf } from './port-of.ts'

const root = join(import.meta.dirname, '..', '..')

interface Installed {
  readonly directory: string
  readonly version: string
  readonly manifest: object
}

/** What is installed here, by name. Programs for one kind of machine are left out: they are too large to send around. */
function installed(): ReadonlyMap<string, readonly Installed[]> {
  const lock = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'))
  const found = new Map<string, Installed[]>()
  for (const [path, { version, os, link }] of Object.entries<Record<string, string>>(lock.packages)) {
    if (os || link || version === undefined) continue
    const directory = join(root, path)
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
    const versions = found.get(manifest.name) ?? []
    found.set(manifest.name, [...versions, { directory, version, manifest }])
  }
  return found
}

/** A package as npm packs it. */
function packed({ directory }: Installed): NodeJS.ReadableStream {
  const place = mkdtempSync(join(tmpdir(), 'packed-'))
  symlinkSync(directory, join(place, 'package'))
  const args = ['-C', place, '--exclude', 'package/node_modules', '-czhf', '-', 'package']
  return spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout
}

/** npm's registry on this machine, with the packages that are installed here; gives its address. */
export async function startRegistry(): Promise<string> {
  const packages = installed()
  const server = createServer(({ url = '' }, response) => {
    const [name = '', version] = decodeURIComponent(url.slice(1)).split('/-/')
    const versions = packages.get(name)
    if (!versions) return void response.writeHead(404).end('{}')
    if (version !== undefined) {
      const wanted = versions.find((each) => `${each.version}.tgz` === version)
      return void (wanted ? packed(wanted).pipe(response) : response.writeHead(404).end())
    }
    const described = versions.map((each) => {
      const dist = { tarball: `${address}/${name}/-/${each.version}.tgz` }
      return [each.version, { ...each.manifest, dist }] as const
    })
    const latest = versions[0]?.version
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(described) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${portOf(server)}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return address
}
