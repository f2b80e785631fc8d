import { Connection } from './connection.ts'
import { damaged } from './errors.ts'
import { migrations } from './migrations.ts'

/** Reads the whole file, which takes a while for a large one. Throws where it is damaged, or has not the tables of this bough. */
export async function checkDatabase(path: string): Promise<void> {
  const [actual, expected] = [new Connection(path), new Connection(':memory:')]
  try {
    const [found] = await actual.all<{ quick_check: string }>('PRAGMA quick_check(1)')
    if (found?.quick_check !== 'ok')
      throw damaged(path, `is damaged (${found?.quick_check ?? 'nothing can be read'})`)
    for (const migration of migrations) await expected.exec(migration)
    const [there, wanted] = [await schemaOf(actual), await schemaOf(expected)]
    const missing = [...wanted].find(([name, sql]) => there.get(name) !== sql)
    if (missing) throw damaged(path, `is damaged (${missing[0]} is missing or changed)`)
  } finally {
    actual.close()
    expected.close()
  }
}

async function schemaOf(connection: Connection): Promise<ReadonlyMap<string, string | null>> {
  const rows = await connection.all<{ name: string; sql: string | null }>(
    'SELECT name, sql FROM sqlite_schema',
  )
  return new Map(rows.map(({ name, sql }) => [name, sql]))
}
