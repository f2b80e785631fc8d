import type { TreeRow } from '../../tree/forest.ts'
import type { SessionID } from '../../tree/ids.ts'
import { type ListPlace, type ListStep, listStart, shown, stepped } from '../panels/scrolled-list.ts'
import { isLooking, keptRows, noWish, type Wish } from './filter.ts'
import { type Folding, linesOf, nothingFolded, type SessionLine, type TreeLine } from './fold.ts'
import type { LiveForest } from './live-forest.ts'
import { projectsOf } from './project.ts'
import { searchWords } from './row-words.ts'

/** What the person sees of the forest: what is folded, looked for and selected. It is arranged anew only when that changes. */
export class TreeView {
  readonly #forest: LiveForest
  readonly #hereID: SessionID
  readonly #words = new Map<TreeRow, string>()
  #arranged: readonly TreeRow[] = []
  #projects: ReadonlyMap<SessionID, string> = new Map()
  #withForks: ReadonlySet<SessionID> = new Set()
  #lines: readonly TreeLine[] = []
  #wish: Wish = noWish
  #folding: Folding = nothingFolded
  #place: ListPlace = listStart
  #selected: SessionID
  #rows = 1
  #count = 0

  /** `hereID` is the session that the person comes from. */
  constructor(forest: LiveForest, hereID: SessionID) {
    this.#forest = forest
    this.#hereID = hereID
    this.#selected = hereID
  }

  get hereID(): SessionID {
    return this.#hereID
  }

  get lines(): readonly TreeLine[] {
    return this.#lines
  }

  get place(): ListPlace {
    return this.#place
  }

  get wish(): Wish {
    return this.#wish
  }

  set wish(wish: Wish) {
    this.#wish = wish
    this.#arrange()
  }

  /** The project that the person comes from. */
  get project(): string | null {
    return this.#projects.get(this.#hereID) ?? null
  }

  get isOneProject(): boolean {
    return this.#wish.project !== null
  }

  /** How many sessions are wanted: shown, or folded away. */
  get count(): number {
    return this.#count
  }

  /** Those of the sessions that are not filtered out by project, sorted. */
  get agents(): readonly string[] {
    const { project } = this.#wish
    const rows = this.#arranged.filter(({ id }) => project === null || this.#projects.get(id) === project)
    return [...new Set(rows.map(({ agent }) => agent))].sort()
  }

  get selected(): TreeLine | null {
    return this.#lines[this.#place.selected] ?? null
  }

  /** Null where none is, or a run of them. */
  get selectedRow(): TreeRow | null {
    const line = this.selected
    return line?.kind === 'session' ? line.row : null
  }

  /** Whether its tree has forks that come back: then it matters what is main there. */
  hasComebacks(id: SessionID): boolean {
    return this.#withForks.has(id)
  }

  /** The forest has changed. At first the person's own project is shown. */
  refresh(): void {
    const isFirst = this.#arranged.length === 0
    this.#arranged = this.#forest.rows
    this.#words.clear()
    this.#projects = projectsOf(this.#arranged)
    this.#withForks = withComebacks(this.#arranged)
    if (isFirst) this.#wish = { ...this.#wish, project: this.project }
    this.#arrange()
  }

  /** So many lines have room: the selected one is among those that are shown. */
  show(rows: number): readonly TreeLine[] {
    this.#rows = rows
    this.#place = shown(this.#place, this.#lines.length, rows)
    return this.#lines.slice(this.#place.top, this.#place.top + rows)
  }

  step(way: ListStep): void {
    this.#goTo(stepped(this.#place, way, this.#lines.length, this.#rows))
  }

  /** So many lines down, or up. */
  moveBy(lines: number): void {
    this.#goTo({ ...this.#place, selected: this.#place.selected + lines })
  }

  select(key: SessionID): void {
    const selected = this.#placeOf(key)
    if (selected !== undefined) this.#goTo({ ...this.#place, selected })
  }

  /** Hides what is below the selected session; where that is hidden, or nothing is there, goes to its parent. */
  fold(): void {
    const line = this.selected
    if (line?.kind === 'session' && line.isForked && !line.isFolded && !isLooking(this.#wish))
      this.#refold({ folded: new Set([...this.#folding.folded, line.key]) })
    else this.toParent()
  }

  /** Shows what is hidden at the selected line; where nothing is, goes to the first line below it. */
  unfold(): void {
    const line = this.selected
    if (line?.kind === 'run') this.#refold({ opened: new Set([...this.#folding.opened, line.key]) })
    else if (line?.isFolded) {
      const folded = new Set(this.#folding.folded)
      folded.delete(line.key)
      this.#refold({ folded })
    } else if (line?.isForked) this.step('down')
  }

  /** Folds every tree; where all are folded, shows everything that is shown at first. */
  foldAll(): void {
    const open = this.#lines.filter(
      (line): line is SessionLine => line.hanging === null && line.kind === 'session' && line.isForked,
    )
    const isOpen = open.some(({ isFolded }) => !isFolded)
    this.#refold({ folded: new Set(isOpen ? open.map(({ key }) => key) : []), opened: new Set() })
  }

  toParent(): void {
    const line = this.selected
    const parent = line && this.#forest.parentOf(line.key)
    const place = parent && this.#nearest(parent)
    if (place !== null && place !== undefined) this.#goTo({ ...this.#place, selected: place })
  }

  #goTo(place: ListPlace): void {
    this.#place = shown(place, this.#lines.length, this.#rows)
    this.#selected = this.selected?.key ?? this.#selected
  }

  #refold(folding: Partial<Folding>): void {
    this.#folding = { ...this.#folding, ...folding }
    this.#arrange()
  }

  #arrange(): void {
    const before = this.#place
    const kept = keptRows(this.#arranged, this.#wish, {
      projectOf: ({ id }) => this.#projects.get(id) ?? '',
      wordsOf: (row) => this.#wordsOf(row),
    })
    this.#count = kept.filter(({ isFound }) => isFound).length
    this.#lines = isLooking(this.#wish)
      ? linesOf(kept, nothingFolded)
      : linesOf(kept, this.#folding, (row) => this.#isDull(row))
    const selected = this.#nearestFound() ?? before.selected
    // What is selected stays where it is on the screen, whatever comes above it.
    const top = Math.max(0, before.top + selected - before.selected)
    this.#place = shown({ selected, top }, this.#lines.length, this.#rows)
  }

  /** The selected line; where that is not one that is looked for, the first that is. */
  #nearestFound(): number | undefined {
    const nearest = this.#nearest(this.#selected)
    if (!isLooking(this.#wish) || isFound(this.#lines[nearest ?? -1])) return nearest
    const first = this.#lines.findIndex(isFound)
    return first === -1 ? nearest : first
  }

  /** The line of a session, or of the nearest one above it that has one. */
  #nearest(key: SessionID): number | undefined {
    const own = this.#placeOf(key)
    if (own !== undefined) return own
    const places = new Map(this.#lines.map((line, i) => [line.key, i]))
    for (let id: SessionID | null = key; id !== null; id = this.#forest.parentOf(id)) {
      const place = places.get(id)
      if (place !== undefined) return place
    }
    return undefined
  }

  #placeOf(key: SessionID): number | undefined {
    const place = this.#lines.findIndex((line) => line.key === key)
    return place === -1 ? undefined : place
  }

  // What goes on, or was marked by somebody, is never only one of a run.
  #isDull({ id, state, labels, fork }: TreeRow): boolean {
    return id !== this.#hereID && state === 'idle' && labels.length === 0 && fork?.state !== 'open'
  }

  #wordsOf(row: TreeRow): string {
    const known = this.#words.get(row)
    if (known !== undefined) return known
    const words = searchWords(row, this.#forest.asked.has(row.id))
    this.#words.set(row, words)
    return words
  }
}

const isFound = (line: TreeLine | undefined): boolean => line?.kind === 'session' && line.isFound

// All sessions of trees in which some fork comes back.
function withComebacks(rows: readonly TreeRow[]): ReadonlySet<SessionID> {
  const found = new Set<SessionID>()
  let begin = 0
  for (let i = 1; i <= rows.length; i++) {
    if (i < rows.length && rows[i]?.depth !== 0) continue
    const tree = rows.slice(begin, i)
    if (tree.some(({ fork }) => fork !== null)) for (const { id } of tree) found.add(id)
    begin = i
  }
  return found
}
