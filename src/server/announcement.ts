import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { type Home, makeOwnDirectory } from '../home.ts'
import { livenessOf } from '../process-identity.ts'
import { readRegularFile } from '../read-regular-file.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import { processIdentity } from '../wire/schema/process.ts'

/** What a server that runs on this machine says of itself, for commands that look for it. */
export interface Announcement {
  readonly url: string
  /** Where its token is; null when it is only in the server's environment. */
  readonly tokenFile: string | null
  readonly process: ProcessIdentity
}

// Several may run for the same data: the newest first.
const schema = z.array(
  z.object({
    url: z.string(),
    tokenFile: z.nullable(z.string()),
    process: processIdentity,
  }),
)

const fileOf = (home: Home): string => join(home.data, 'server.json')

/** Says that a server runs; until what it resolves with is called. */
export async function announce(home: Home, said: Announcement): Promise<() => Promise<void>> {
  makeOwnDirectory(home.data)
  await write(home, [said, ...(await othersThan(said, home))])
  // Others may have started before or since: their words stay.
  return async () => {
    const others = await othersThan(said, home)
    if (others.length > 0) await write(home, others)
    else await rm(fileOf(home), { force: true })
  }
}

/** The server that runs for this home, as far as it says so: of several the newest, or the one at `url`; null where none does. */
export async function findServer(home: Home, url?: string): Promise<Announcement | null> {
  return (await living(home)).find((each) => url === undefined || each.url === url) ?? null
}

const othersThan = async ({ url }: Announcement, home: Home): Promise<readonly Announcement[]> =>
  (await living(home)).filter((other) => other.url !== url)

async function living(home: Home): Promise<readonly Announcement[]> {
  try {
    const said = schema.parse(JSON.parse(readRegularFile(fileOf(home)).toString()))
    return said.filter(({ process }) => livenessOf(process) === 'alive')
  } catch {
    // There is none, or it makes no sense: either way there is nobody to turn to.
    return []
  }
}

async function write(home: Home, said: readonly Announcement[]): Promise<void> {
  const file = fileOf(home)
  const aside = `${file}.${crypto.randomUUID()}`
  await writeFile(aside, `${JSON.stringify(said)}\n`, { mode: 0o600 })
  await rename(aside, file)
}
