// `npm run build`: makes the whole package as it is published, in dist/ or the directory that is given. Everything it
// needs is bundled in.
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build, type ChunkingContext, type Plugin, type RolldownOutput } from 'rolldown'
import manifest from '../package.json' with { type: 'json' }
import { writeClientTypes } from './client-types.ts'

const agentPackages = ['@anthropic-ai/claude-agent-sdk', '@openai/codex'] as const

// Compiled code that discord.js takes when it is there, and does without when it is not.
const optionalPackages = ['zlib-sync', 'bufferutil', 'utf-8-validate']

const root = join(import.meta.dirname, '..')
const dist = resolve(process.argv[2] ?? join(root, 'dist'))

/**
 * The terminal library has a regular expression of all emojis, which takes Node longer to read than all of bough. It is made when
 * the first emoji is met.
 */
const withoutEmojiAtStart: Plugin = {
  name: 'without-emoji-at-start',
  transform: {
    filter: { id: /\/pi-tui\/dist\/utils\.js$/ },
    handler(code) {
      const found = 'const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;'
      if (!code.includes(found))
        throw new Error('pi-tui looks for emojis in another way now: see scripts/build.ts.')
      const made = String.raw`(rgiEmoji ??= new RegExp("^\\p{RGI_Emoji}$", "v"))`
      return code.replace(
        found,
        () => `let rgiEmoji;\nconst rgiEmojiRegex = { test: (text) => ${made}.test(text) };`,
      )
    },
  },
}

// What is always loaded together comes as one file: to find a hundred small ones takes Node longer than to read them. A part is
// what its roots need, as far as it lies in these places; what others need, too, without the rest lies elsewhere.
const parts: readonly Part[] = [
  { name: 'start', roots: ['src/cli/run.ts'], lies: /\/src\/(?!tree\/)/ },
  { name: 'tree', roots: ['src/cli/run.ts', 'src/open-bough.ts'], lies: /\/src\/tree\// },
  { name: 'core', roots: ['src/open-bough.ts'], lies: /\/src\/(?!cli\/|tree\/)/ },
  { name: 'turns', roots: ['src/turns/turns.ts', 'src/forks/side/channels.ts'], lies: /\/src\/(?!tree\/)/ },
  {
    name: 'tui',
    roots: [
      'src/tui/tui.ts',
      'src/tui/app.ts',
      'src/tui/start/restore-tabs.ts',
      'src/tui/start/remembering.ts',
    ],
    lies: /\/src\/tui\/|\/node_modules\//,
  },
]

/** What asking for the version takes stays apart. */
const atOnce = /\/src\/cli\/version\.ts$|\/package\.json$/

interface Part {
  readonly name: string
  readonly roots: readonly string[]
  readonly lies: RegExp
}

await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
const bundle = await bundleSources()
await cp(join(root, 'bin'), join(dist, 'bin'), { recursive: true })
await cp(join(root, 'src/server/page'), join(dist, 'lib/page'), { recursive: true })
await writeClientTypes(join(root, 'src'), join(dist, 'types'))
for (const page of ['CHANGELOG.md', 'LICENSE', 'README.md']) {
  if (existsSync(join(root, page))) await copyFile(join(root, page), join(dist, page))
}
await writeFile(join(dist, 'THIRD-PARTY-LICENSES'), await licensesOf(bundle))
await writeFile(join(dist, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`)
console.log(`Built ${dist}: ${bundle.output.length} files in lib/.`)

// Not minified: Node starts no faster for it, and a stack trace stays readable.
function bundleSources(): Promise<RolldownOutput> {
  return build({
    cwd: root,
    input: { bough: 'src/cli/main.ts', embedded: 'src/open-bough.ts', client: 'src/client/connect.ts' },
    platform: 'node',
    external: optionalPackages,
    // discord.js has one, for what bough does not do. Our own the linter finds.
    checks: { eval: false },
    preserveEntrySignatures: 'allow-extension',
    plugins: [withoutEmojiAtStart],
    output: {
      dir: join(dist, 'lib'),
      format: 'esm',
      chunkFileNames: '[name].js',
      codeSplitting: {
        groups: [{ debugName: 'parts', name: partOf(), includeDependenciesRecursively: false }],
      },
    },
  })
}

/** Names the part that a module belongs to; null for one that is loaded when it is wanted. */
function partOf(): (id: string, graph: ChunkingContext) => string | null {
  let needs: ReadonlyMap<Part, ReadonlySet<string>> | null = null
  return (id, graph) => {
    needs ??= new Map(parts.map((part) => [part, needed(part.roots, graph)]))
    const found = parts.find((part) => part.lies.test(id) && needs?.get(part)?.has(id))
    return found && !atOnce.test(id) ? found.name : null
  }
}

/** All that is loaded with these modules. */
function needed(roots: readonly string[], graph: ChunkingContext): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (id: string): void => {
    if (found.has(id)) return
    found.add(id)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) add(imported)
  }
  for (const path of roots) add(join(root, path))
  return found
}

// What was bundled in must keep its notice.
async function licensesOf({ output }: RolldownOutput): Promise<string> {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  const packages = new Set(modules.flatMap((id) => id.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []))
  const notices = [...packages].toSorted().map(async (path) => {
    const { name, version, ...manifest } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))
    const file = (await readdir(path)).find((each) => /^licen[cs]e/i.test(each))
    return `${name} ${version}\n\n${file ? await readFile(join(path, file), 'utf8') : noticeOf(manifest)}`
  })
  return (await Promise.all(notices)).join('\n\n')
}

// Some packages leave the text behind, and only name the licence.
function noticeOf({ license = '', author = '', repository = { url: '' } }): string {
  return `Licence: ${license}. Copyright (c) ${author}. See ${repository.url.replace(/^git\+/, '')}\n`
}

function publishedManifest(): object {
  const { name, version, description, keywords, license, type, bin } = manifest
  return {
    name,
    version,
    description,
    keywords,
    license,
    type,
    bin,
    files: ['bin', 'lib', 'types', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES'],
    exports: {
      '.': './lib/embedded.js',
      './client': { types: './types/client/connect.d.ts', default: './lib/client.js' },
      './package.json': './package.json',
    },
    engines: { node: '>=24' },
    // Large, and the person's choice: they are found at run time.
    peerDependencies: Object.fromEntries(
      agentPackages.map((each) => [each, `>=${manifest.devDependencies[each]}`]),
    ),
    peerDependenciesMeta: Object.fromEntries(agentPackages.map((each) => [each, { optional: true }])),
  }
}
