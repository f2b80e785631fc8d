import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { adoptAll, adoptNamed, listAdoptable, type Where } from '../import/adopt-sessions.ts'
import { importFile } from '../import/import-file.ts'
import { Interrupted } from '../import/interruptible.ts'
import { printJson } from '../json.ts'
import { programName } from '../program-name.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, directory } = context
  const [agent, dir] = ['agent', 'dir'].map((name) => args.value(name))
  const where = {
    directory: dir === undefined ? directory() : resolve(dir),
    ...(agent !== undefined && { agent }),
  }
  const words = args.words('what')
  if (words.length > 0 && args.flag('all')) throw new UsageError('Name sessions, or say --all; not both.')
  if (words.length === 0 && !args.flag('all')) return listAdoptable(context, where)

  const imported: Session[] = []
  try {
    const sessions = args.flag('all') ? adoptAll(context, where) : importEach(context, words, where)
    for await (const session of sessions) {
      imported.push(session)
      if (!args.flag('json')) tell(context, session)
    }
    if (args.flag('json')) printJson(out, imported)
    return 0
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    const count = imported.length === 0 ? 'nothing was imported' : `${imported.length} imported before that`
    err.line(`bough: interrupted; ${count}.`)
    return error.exitCode
  }
}

async function* importEach(context: Context, words: readonly string[], where: Where): AsyncIterable<Session> {
  for (const word of words) {
    if (await isFile(word)) yield importFile(context, word, where)
    else yield adoptNamed(context, word, where)
  }
}

// An id has neither a dot nor a slash.
const isFile = async (word: string): Promise<boolean> =>
  word === '-' || /[./]/.test(word) || (await stat(word).catch(() => null)) !== null

function tell({ out, err, env }: Context, { id, title, messages }: Session): void {
  out.line(id)
  const count = messages === 1 ? '1 message' : `${messages.toLocaleString('en')} messages`
  err.line(
    `bough: "${plainLine(title)}", ${count}. "${programName(env)} chat ${shortID(id)}" goes on with it.`,
  )
}
