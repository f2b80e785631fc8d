import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noWayOut } from './server-sent.ts'

/**
 * The environment in which Codex knows nothing but the fake, with a home of its own. The extra lines end its
 * config.toml: keys of the provider first, tables of their own after them. The rest goes with `-c key=value`.
 */
export async function codexHome(
  { url }: { readonly url: string },
  extra = '',
  within = tmpdir(),
): Promise<NodeJS.ProcessEnv> {
  const root = await mkdtemp(join(within, 'codex-'))
  // Codex does not work with a home inside of its directory for temporary files.
  const folders = { HOME: join(root, 'home'), CODEX_HOME: join(root, 'codex'), TMPDIR: join(root, 'tmp') }
  for (const folder of Object.values(folders)) await mkdir(folder)
  await writeFile(join(folders.CODEX_HOME, 'config.toml'), configFor(url, extra))
  return { ...folders, ...noWayOut(url), PATH: process.env.PATH, FAKE_KEY: 'dummy' }
}

const configFor = (url: string, extra: string): string => `\
model = "fake-model"
model_provider = "fake"
check_for_update_on_startup = false

[features]
plugins = false

[analytics]
enabled = false

[model_providers.fake]
name = "fake"
base_url = "${url}"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
${extra}
${extra.includes('[sandbox_workspace_write]') ? '' : noSharedTemporaryFiles}`

// Where a command of Codex may write in /tmp, Codex keeps a "/tmp/.git" there meanwhile, and other tests' agents take /tmp for a project.
const noSharedTemporaryFiles = '[sandbox_workspace_write]\nexclude_slash_tmp = true\n'
