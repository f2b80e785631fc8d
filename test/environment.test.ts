import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { storeFile } from '../src/store/open.ts'
import { createWorld, launcher } from './support/run-bough.ts'

const oneLine = /^bough: [^\n]+\n$/

/**
 * Runs shell commands with a small file system of their own at `$HOME_DIR` (also for root, who may write anywhere
 * else). `bough` is the program; each of its runs prints `exit N` and its stderr to stdout.
 */
async function onSmallDisk(script: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'disk-'))
  const prelude = `
    set -e
    mount -t tmpfs -o size=4m tmpfs "$HOME_DIR"
    bough() { code=0; "$NODE" "$LAUNCHER" "$@" 2>"$ERR" </dev/null || code=$?; cat "$ERR"; echo "exit $code"; }
  `
  const { stdout } = await promisify(execFile)('unshare', ['-rm', 'sh', '-c', prelude + script], {
    cwd: await mkdtemp(join(tmpdir(), 'project-')),
    env: {
      ...process.env,
      HOME_DIR: directory,
      BOUGH_HOME: join(directory, 'bough'),
      ERR: join(await mkdtemp(join(tmpdir(), 'err-')), 'stderr'),
      NODE: process.execPath,
      LAUNCHER: launcher,
    },
  })
  return stdout
}

describe('bad surroundings get one clear line and change nothing', () => {
  it('a full disk: the turn is refused, nothing is lost, and with space again it works', async () => {
    const out = await onSmallDisk(`
      session=$("$NODE" "$LAUNCHER" new)
      bough send "$session" "first words"
      cat /dev/zero > "$HOME_DIR/filler" 2>/dev/null || true
      echo "-- full"
      bough send "$session" "words that do not fit $(head -c 60000 /dev/zero | tr '\\0' x)"
      bough new
      echo "-- freed"
      rm "$HOME_DIR/filler"
      bough send "$session" "last words"
      bough log "$session"
    `)
    const [before, full, freed] = out.split(/-- \w+\n/)
    expect(before).toContain('exit 0')
    expect(full?.match(/exit 1/g)).toHaveLength(2)
    expect(full?.match(/^bough: .*disk.*full/gim)).toHaveLength(2)
    expect(full).not.toMatch(/at .*\.[jt]s:/)
    expect(freed).not.toContain('exit 1')
    expect(freed).toContain('first words')
    expect(freed).toContain('last words')
    expect(freed).not.toContain('words that do not fit')
    expect(freed).toContain('turn 2')
  })

  it('a full disk or a read-only home: whatever only reads works as before', async () => {
    const reading = `
      bough ls
      bough tree
      bough log "$session"
      bough export "$session"
      bough gc
      bough config
      bough runs
    `
    const out = await onSmallDisk(`
      session=$("$NODE" "$LAUNCHER" new)
      bough send "$session" "first words"
      cat /dev/zero > "$HOME_DIR/filler" 2>/dev/null || true
      echo "-- full"
      ${reading}
      echo "-- readonly"
      rm "$HOME_DIR/filler"
      mount -o remount,ro "$HOME_DIR"
      ${reading}
      echo "-- killed"
      mount -o remount,rw "$HOME_DIR"
      "$NODE" -e '
        const store = new (require("node:sqlite").DatabaseSync)(process.argv[1])
        store.exec("UPDATE sessions SET title = title || char(32) || 1234")
        process.kill(process.pid, "SIGKILL")
      ' "$BOUGH_HOME/bough.db" || true
      rm "$BOUGH_HOME/bough.db-shm"
      cat /dev/zero > "$HOME_DIR/filler" 2>/dev/null || true
      bough ls
    `)
    // What a process that was killed had written last is still in the log beside the database.
    expect(out.split('-- killed\n')[1]).toMatch(/first words 1234.*exit 0/s)
    const [, full, readonly] = out.split(/-- \w+\n/)
    for (const each of [full, readonly]) {
      expect(each?.match(/^(exit|bough:) .*/gm)).toEqual(Array(7).fill('exit 0'))
      expect(each?.match(/first words/g)?.length).toBeGreaterThanOrEqual(4)
    }
  })

  it('a read-only home, new or in use', async () => {
    const out = await onSmallDisk(`
      session=$("$NODE" "$LAUNCHER" new)
      mount -o remount,ro "$HOME_DIR"
      bough new
      bough send "$session" hello
      BOUGH_HOME="$HOME_DIR/other"
      bough new
    `)
    expect(out.match(/exit 1/g)).toHaveLength(3)
    expect(out.match(/^bough: Cannot .*BOUGH_HOME/gm)).toHaveLength(3)
    expect(out.trim().split('\n')).toHaveLength(6)
  })

  it('a broken database file', async () => {
    const world = createWorld()
    await mkdir(world.home, { recursive: true })
    await writeFile(storeFile(world.home), 'garbage '.repeat(1000))
    const { code, stderr, stdout } = await world.bough(['ls'])
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain('damaged')
  })

  it('a database file that breaks in the middle', async () => {
    const world = createWorld()
    const session = (await world.ok('new')).trim()
    await world.ok('send', session, 'hello')
    const file = await open(storeFile(world.home), 'r+')
    const { size } = await file.stat()
    await file.write(Buffer.alloc(size - 8192, 0xff), 0, size - 8192, 8192)
    await file.close()
    const { code, stderr } = await world.bough(['log', session])
    expect(code).toBe(1)
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain('damaged')
  })

  it('bough doctor fails where the database is damaged, however, and says what to do', async () => {
    const world = createWorld()
    const session = (await world.ok('new')).trim()
    for (const letter of ['a', 'b']) await world.ok('send', session, letter.repeat(100_000))
    const path = storeFile(world.home)
    const good = await readFile(path)
    const damages: Readonly<Record<string, (path: string) => Promise<void> | void>> = {
      none: () => {},
      'zeros in a page': (path) => overwrite(path, 20, Buffer.alloc(4096)),
      'noise in a page': (path) => overwrite(path, 10, randomBytes(4096)),
      'cut off': (path) => truncate(path, 40 * 4096),
      'no database': (path) => writeFile(path, 'garbage '.repeat(1000)),
      'without a table': (path) => inDatabase(path, 'DROP TABLE turns'),
      'without an index': (path) => inDatabase(path, 'DROP INDEX shown_by_turn'),
    }
    for (const [damage, make] of Object.entries(damages)) {
      await writeFile(path, good)
      await make(path)
      const { code, stdout } = await world.bough(['doctor'])
      expect([damage, code]).toEqual([damage, damage === 'none' ? 0 : 1])
      if (damage !== 'none')
        expect(stdout).toMatch(/^✗ store: .*bough\.db is damaged.* Move it away .* or put a backup/m)
    }
  })

  it('a database file of a newer bough', async () => {
    const world = createWorld()
    await world.ok('new')
    const db = new DatabaseSync(storeFile(world.home))
    db.exec('PRAGMA user_version = 1000')
    db.close()
    for (const command of [['ls'], ['new']]) {
      const { code, stderr } = await world.bough(command)
      expect(code).toBe(1)
      expect(stderr).toMatch(oneLine)
      expect(stderr).toContain('newer bough')
    }
  })

  it('a directory that is gone', async () => {
    const world = createWorld()
    const session = (await world.ok('new', '--dir', world.project)).trim()
    await world.ok('send', session, 'hello')
    const before = await world.json('log', session)
    await rm(world.project, { recursive: true })
    for (const command of [
      ['send', session, 'more'],
      ['fork', session],
      ['new', '--dir', world.project],
    ]) {
      const { code, stderr } = await world.bough(command, { cwd: tmpdir() })
      expect(code).toBe(1)
      expect(stderr).toMatch(oneLine)
      expect(stderr).toMatch(/is gone|There is no directory/)
    }
    const log = await world.bough(['log', session, '--json'], { cwd: tmpdir() })
    expect(JSON.parse(log.stdout)).toEqual(before)
    const ls = await world.bough(['ls', '--json'], { cwd: tmpdir() })
    expect(JSON.parse(ls.stdout)).toHaveLength(1)
  })
})

async function overwrite(path: string, page: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(bytes, 0, bytes.length, page * 4096)
  await file.close()
}

function inDatabase(path: string, sql: string): void {
  const db = new DatabaseSync(path)
  db.exec(sql)
  db.close()
}
