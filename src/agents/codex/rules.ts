import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { readTextIfThere } from '../../read-regular-file.ts'

/**
 * Files of the person's with rules that let Codex run commands without a question. An app-server loads them whatever its
 * client says (0.166.0): only `codex exec` has a way to leave them out.
 */
export async function filesWithAllowRules(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const homes = [env.CODEX_HOME || join(env.HOME || homedir(), '.codex'), '/etc/codex']
  const found = await Promise.all(homes.map((home) => rulesIn(join(home, 'rules'))))
  return found.flat().filter((path) => hasAllowRule(readTextIfThere(path) ?? ''))
}

const rulesIn = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory).catch(() => []))
    .filter((name) => name.endsWith('.rules'))
    .map((name) => join(directory, name))

/** A rule that decides nothing allows. */
export const hasAllowRule = (text: string): boolean =>
  text
    .replace(/^\s*#.*$/gm, '')
    .split(/\bprefix_rule\s*\(/)
    .slice(1)
    .some((rule) => !/\bdecision\s*=\s*["'](prompt|forbidden)["']/.test(rule))
