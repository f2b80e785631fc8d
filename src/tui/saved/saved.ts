import { basename, join } from 'node:path'
import type { ChannelID } from '../../tree/ids.ts'
import { readJson, writeJson, writeJsonSoon } from './json-file.ts'
import { saidIn, withSaid } from './said-before.ts'
import { contentOf, merged, type SavedTabs, tabsIn } from './saved-tabs.ts'

/** Whose tabs: those of a directory, as seen through a server or without one. */
export interface SavedPlace {
  readonly data: string
  readonly directory: string
  readonly server: string | null
}

/** What the terminal UI remembers of a project. Several may be open at once in one. */
export class Saved {
  readonly #tabsFile: string
  readonly #saidFile: string
  #known: ReadonlySet<ChannelID> = new Set()
  #written = ''
  #writes = 0
  #said: readonly string[]

  static open(place: SavedPlace): Saved {
    return new Saved(place)
  }

  private constructor({ data, directory, server }: SavedPlace) {
    // The name tells a person whose it is, the hash tells them apart.
    const hash = hashOf(`${server ?? ''}\0${directory}`)
    const name =
      basename(directory)
        .replace(/[^A-Za-z0-9]+/g, '-')
        .slice(0, 30) || 'root'
    const file = join(data, 'tui', `${name}-${hash}`)
    this.#tabsFile = `${file}.json`
    this.#saidFile = `${file}-said.json`
    this.#said = saidIn(readJson(this.#saidFile))
  }

  /** The tabs of the last time; null where there were none. */
  readTabs(): SavedTabs | null {
    return tabsIn(readJson(this.#tabsFile))
  }

  /** These are here now, or gone for good: whoever misses them later has closed them. */
  know(ids: readonly ChannelID[]): void {
    this.#known = new Set([...this.#known, ...ids])
  }

  /** Writes them where they are not as they were written last. */
  keepTabs(tabs: SavedTabs): void {
    // What is still being written is older.
    this.#writes += 1
    const now = JSON.stringify(contentOf(tabs))
    if (this.#isKept(tabs, now)) return
    writeJson(this.#tabsFile, this.#withOthers(tabs))
    this.#kept(tabs, now)
  }

  /** The same in the background: nobody who types waits for the disk. */
  async keepTabsSoon(tabs: SavedTabs): Promise<void> {
    this.#writes += 1
    const mine = this.#writes
    const now = JSON.stringify(contentOf(tabs))
    if (this.#isKept(tabs, now)) return
    const isWritten = await writeJsonSoon(this.#tabsFile, this.#withOthers(tabs), () => this.#writes === mine)
    if (isWritten) this.#kept(tabs, now)
  }

  /** What was said before, oldest first. */
  get said(): readonly string[] {
    return this.#said
  }

  /** Others may have said something meanwhile: that stays. */
  say(text: string): void {
    this.#said = withSaid(saidIn(readJson(this.#saidFile)), text)
    writeJson(this.#saidFile, this.#said)
  }

  #isKept({ tabs }: SavedTabs, now: string): boolean {
    return now === this.#written || tabs.length === 0
  }

  #withOthers(tabs: SavedTabs): object {
    return contentOf(merged(this.#known, this.readTabs()?.tabs ?? [], tabs))
  }

  #kept({ tabs }: SavedTabs, now: string): void {
    this.#written = now
    this.#known = new Set(tabs.map(({ channelID }) => channelID))
  }
}

// FNV-1a with 64 bits: nobody is kept out by it, and loading a better one takes longer than all else that is done here.
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(16).padStart(16, '0')
}
