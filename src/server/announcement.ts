import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { type Home, makeOwnDirectory } from '../home.ts'
import { livenessOf } from '../process-identity.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import { processIdentity } from '../wire/schema/process.ts'

/** What a server that runs on this machine says of itself, for commands that look for it. */
export interface Announcement {
  readonly url: string
  /** Where its token is; null when it is only in the server's environment. */
  readonly tokenFile: string | null
  readonly process: ProcessIdentity
}

const schema = z.object({
  url: z.string(),
  tokenFile: z.nullable(z.string()),
  process: processIdentity,
})

const fileOf = (home: Home): string => join(home.data, 'server.json')

/** Says that a server runs; until what it resolves with is called. */
export async function announce(home: Home, said: Announcement): Promise<() => Promise<void>> {
  const file = fileOf(home)
  const aside = `${file}.${crypto.randomUUID()}`
  makeOwnDirectory(home.data)
  await writeFile(aside, `${JSON.stringify(said)}\n`, { mode: 0o600 })
  await rename(aside, file)
  // Another may have started since: its word stays.
  return async () => {
    if ((await read(home))?.url === said.url) await rm(file, { force: true })
  }
}

/** The server that runs for this home, as far as it says so; null where none does. */
export async function findServer(home: Home): Promise<Announcement | null> {
  const said = await read(home)
  return said && livenessOf(said.process) === 'alive' ? said : null
}

async function read(home: Home): Promise<Announcement | null> {
  try {
    return schema.parse(JSON.parse(await readFile(fileOf(home), 'utf8')))
  } catch {
    // There is none, or it makes no sense: either way there is nobody to turn to.
    return null
  }
}
