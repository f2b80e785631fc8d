import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Needs } from '../sandbox/sandbox.ts'

// Codex keeps its sessions, its account and its databases beside its settings, so its directory can be written. Its settings
// cannot: those that are not there yet are made empty, since nothing can be mounted where nothing is.
const settingFolders = ['agents', 'plugins', 'prompts', 'rules', 'skills']
const settingFiles = ['config.toml', 'AGENTS.md', '.env']

/** Of these an empty one would be wrong; Codex looks for them only where its settings name them. */
const others = ['AGENTS.override.md', 'hooks.json', 'managed_config.toml', 'instructions.md']

/** Of its makers: the model, with a key or an account, and where a sign-in is renewed. */
const usualEndpoints = ['https://api.openai.com', 'https://chatgpt.com', 'https://auth.openai.com']

/** What Codex needs in a sandbox: its sessions, its account, its settings to read. */
export async function codexNeeds(env: NodeJS.ProcessEnv): Promise<Needs> {
  const directory = env.CODEX_HOME || join(env.HOME || homedir(), '.codex')
  for (const folder of settingFolders) await mkdir(join(directory, folder), { recursive: true })
  for (const file of settingFiles)
    await writeFile(join(directory, file), '', { flag: 'wx', mode: 0o600 }).catch(() => {})
  const config = await readFile(join(directory, 'config.toml'), 'utf8').catch(() => '')
  const keys = new Set([...config.matchAll(/^\s*env_key\s*=\s*["']([^"']+)["']/gm)].map(([, name]) => name))
  const urls = [...config.matchAll(/^\s*(?:\w+_)?base_url\s*=\s*["']([^"']+)["']/gm)].map(
    ([, url = '']) => url,
  )
  return {
    endpoints: [...urls, ...(env.OPENAI_BASE_URL ? [env.OPENAI_BASE_URL] : []), ...usualEndpoints],
    rules: [
      { path: directory, access: 'write' },
      ...[...settingFolders, ...settingFiles, ...others].map((name) => ({
        path: join(directory, name),
        access: 'read' as const,
      })),
    ],
    keeps: (name) => /^(OPENAI|CODEX)_/.test(name) || keys.has(name),
  }
}
