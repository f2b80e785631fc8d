import { basename } from 'node:path'
import type { TreeRow } from '../../tree/forest.ts'
import type { SessionID } from '../../tree/ids.ts'
import { type ListPlace, type ListStep, listStart, shown, stepped } from '../panels/scrolled-list.ts'
import { withComebacks } from './comebacks.ts'
import { isLooking, keptRows, noWish, type TreeWish } from './filter.ts'
import { type Folding, type LineKey, linesOf, nothingFolded, type ProjectKey, type TreeLine } from './fold.ts'
import type { LiveForest } from './live-forest.ts'
import { projectsOf } from './project.ts'
import { projectKey, projectLines } from './project-lines.ts'
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
  #wish: TreeWish = noWish
  #folding: Folding = nothingFolded
  /** While something is looked for: it is to be seen at first, wherever it lies. */
  #foldingFound: Folding = nothingFolded
  #place: ListPlace = listStart
  #selected: LineKey
  /** Where the person went; what is found may be selected instead, as long as that is looked for. */
  #wentTo: LineKey
  #rows = 1
  #count = 0

  /** `hereID` is the session that the person comes from. */
  constructor(forest: LiveForest, hereID: SessionID) {
    this.#forest = forest
    this.#hereID = hereID
    this.#selected = hereID
    this.#wentTo = hereID
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

  get wish(): TreeWish {
    return this.#wish
  }

  set wish(wish: TreeWish) {
    const { kind, agent, text } = this.#wish
    if (wish.kind !== kind || wish.agent !== agent || wish.text !== text) this.#foldingFound = nothingFolded
    this.#wish = wish
    this.#selected = this.#wentTo
    this.#arrange()
    this.#goToFound()
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

  /** Null where none is, or a run of them, or a project. */
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
    if (isFirst) this.#goToFound()
  }

  /** So many lines have room: the selected one is among those that are shown. */
  show(rows: number): readonly TreeLine[] {
    // The heading of what is shown stays in sight.
    const isHeaded = !this.isOneProject && rows > 1
    this.#rows = isHeaded ? rows - 1 : rows
    this.#place = shown(this.#place, this.#lines.length, this.#rows)
    const { top } = this.#place
    const heading = isHeaded && this.#lines.slice(0, top + 1).findLast(({ kind }) => kind === 'project')
    return heading && heading !== this.#lines[top]
      ? [heading, ...this.#lines.slice(top, top + rows - 1)]
      : this.#lines.slice(top, top + rows)
  }

  step(way: ListStep): void {
    this.#goTo(stepped(this.#place, way, this.#lines.length, this.#rows))
  }

  /** So many lines down, or up. */
  moveBy(lines: number): void {
    this.#goTo({ ...this.#place, selected: this.#place.selected + lines })
  }

  select(key: LineKey): void {
    const selected = this.#placeOf(key)
    if (selected !== undefined) this.#goTo({ ...this.#place, selected })
  }

  /** Hides what is below the selected line; where that is hidden, or nothing is there, goes to its parent. */
  fold(): void {
    const line = this.selected
    if (line && isOpen(line)) this.#refold({ folded: new Set([...this.#folded, line.key]) })
    else this.toParent()
  }

  /** Shows what is hidden at the selected line; where nothing is, goes to the first line below it. */
  unfold(): void {
    const line = this.selected
    if (line?.kind === 'run') this.#refold({ opened: new Set([...this.#folding.opened, line.key]) })
    else if (line?.isFolded) {
      const folded = new Set(this.#folded)
      folded.delete(line.key)
      this.#refold({ folded })
    } else if (line && isOpen(line)) this.step('down')
  }

  /** Shows what is hidden at the selected line, or hides what is below it. */
  toggle(): void {
    if (this.selected && isOpen(this.selected)) this.fold()
    else this.unfold()
  }

  /** Folds every project where there are several, else every tree; where all are folded, shows what is shown at first. */
  foldAll(): void {
    const projects = this.#lines.filter(({ kind }) => kind === 'project')
    const outermost = projects.length > 0 ? projects : this.#lines.filter(({ hanging }) => hanging === null)
    const isAnyOpen = outermost.some(isOpen)
    const folded = outermost.filter((line) => isOpen(line) || isFolded(line)).map(({ key }) => key)
    this.#refold({ folded: new Set(isAnyOpen ? folded : []), opened: new Set() })
  }

  toParent(): void {
    const line = this.selected
    if (!line || line.kind === 'project') return
    const parent = this.#forest.parentOf(line.key)
    const place = parent === null ? this.#headingOf(line.key) : this.#nearest(parent)
    if (place !== undefined) this.#goTo({ ...this.#place, selected: place })
  }

  #goTo(place: ListPlace): void {
    this.#place = shown(place, this.#lines.length, this.#rows)
    this.#selected = this.selected?.key ?? this.#selected
    this.#wentTo = this.#selected
  }

  get #folded(): Folding['folded'] {
    return isLooking(this.#wish) ? this.#foldingFound.folded : this.#folding.folded
  }

  #refold(folding: Partial<Folding>): void {
    if (isLooking(this.#wish)) this.#foldingFound = { ...this.#foldingFound, ...folding }
    else this.#folding = { ...this.#folding, ...folding }
    this.#arrange()
  }

  #arrange(): void {
    const before = this.#place
    const projectOf = ({ id }: TreeRow): string => this.#projects.get(id) ?? ''
    const kept = keptRows(this.#arranged, this.#wish, {
      projectOf,
      wordsOf: (row) =>
        this.isOneProject
          ? this.#wordsOf(row)
          : `${this.#wordsOf(row)}\n${basename(projectOf(row)).toLowerCase()}`,
    })
    this.#count = kept.filter(({ isFound }) => isFound).length
    const ofSessions = (rows: typeof kept): readonly TreeLine[] =>
      isLooking(this.#wish)
        ? linesOf(rows, this.#foldingFound)
        : linesOf(rows, this.#folding, (row) => this.#isDull(row))
    this.#lines = this.isOneProject
      ? ofSessions(kept)
      : projectLines(kept, { projectOf, own: this.project, folded: this.#folded, linesOf: ofSessions })
    const selected = this.#nearest(this.#selected) ?? before.selected
    // What is selected stays where it is on the screen, whatever comes above it.
    const top = Math.max(0, before.top + selected - before.selected)
    this.#place = shown({ selected, top }, this.#lines.length, this.#rows)
  }

  // Something else is looked for: where the selected line is not that, the first one is that is.
  #goToFound(): void {
    if (!isLooking(this.#wish) || isFound(this.selected)) return
    const first = this.#lines.findIndex(isFound)
    if (first === -1) return
    this.#place = shown({ ...this.#place, selected: first }, this.#lines.length, this.#rows)
    this.#selected = this.selected?.key ?? this.#selected
  }

  /** The line of a session, or of the nearest one above it that has one, or of its project. */
  #nearest(key: LineKey): number | undefined {
    const own = this.#placeOf(key)
    if (own !== undefined || isProject(key)) return own
    const places = new Map(this.#lines.map((line, i) => [line.key, i]))
    for (let id: SessionID | null = key; id !== null; id = this.#forest.parentOf(id)) {
      const place = places.get(id)
      if (place !== undefined) return place
    }
    return this.#headingOf(key)
  }

  #headingOf(id: SessionID): number | undefined {
    return this.#placeOf(projectKey(this.#projects.get(id) ?? ''))
  }

  #placeOf(key: LineKey): number | undefined {
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

const isFound = (line: TreeLine | null): boolean => line?.kind === 'session' && line.isFound

/** What is below it is shown. */
const isOpen = (line: TreeLine): boolean =>
  line.kind === 'project' ? !line.isFolded : line.kind === 'session' && line.isForked && !line.isFolded

const isFolded = (line: TreeLine): boolean => line.kind !== 'run' && line.isFolded

const isProject = (key: LineKey): key is ProjectKey => key.startsWith('project:')
