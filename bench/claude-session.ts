import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where Claude Code keeps the sessions of a directory, made. */
export async function claudeFolder(config: string, cwd: string): Promise<string> {
  const folder = join(config, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'))
  await mkdir(folder, { recursive: true })
  return folder
}

/** Writes a session of Claude Code, with prompts and answers in turn; gives its id. */
export async function writeClaudeSession(
  folder: string,
  cwd: string,
  messages: number,
  says: (role: 'user' | 'assistant', i: number) => string,
): Promise<string> {
  const sessionId = randomUUID()
  const lines: string[] = []
  let parentUuid: string | null = null
  for (let i = 0; i < messages; i++) {
    const type = i % 2 === 0 ? 'user' : 'assistant'
    const text = says(type, i)
    const message =
      type === 'user'
        ? { role: type, content: text }
        : {
            role: type,
            content: [{ type: 'text', text }],
            id: `msg_${i}`,
            model: 'claude-sonnet-5',
          }
    const uuid = randomUUID()
    const timestamp = new Date(1_800_000_000_000 + i).toISOString()
    const entry = { type, uuid, parentUuid, sessionId, cwd, isSidechain: false, timestamp, message }
    lines.push(JSON.stringify(entry))
    parentUuid = uuid
  }
  await writeFile(join(folder, `${sessionId}.jsonl`), `${lines.join('\n')}\n`)
  return sessionId
}
