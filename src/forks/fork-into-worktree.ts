import { mkdir, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import { filesWord } from '../tree/file-change.ts'
import { commitWords, type Forked } from '../tree/files-mode.ts'
import { type SessionID, shortID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import { slugOf } from '../tree/slug.ts'
import type { Workspace } from '../tree/workspace.ts'
import type { Kept } from '../turns/snapshots.ts'
import { findProject, type Project } from '../workspace/project.ts'
import type { Shadow } from '../workspace/shadow/shadow.ts'
import { withShadow } from '../workspace/shadow/with-shadow.ts'
import { copyIncluded } from '../workspace/worktree/include-files.ts'
import { runSetUp } from '../workspace/worktree/set-up.ts'
import { survivingCommit } from '../workspace/worktree/surviving-commit.ts'
import { countUncommitted } from '../workspace/worktree/uncommitted.ts'
import { makeWorktree } from '../workspace/worktree/worktree.ts'
import { type Beginning, beginFork } from './branch.ts'
import { forkContextOf } from './choose-context.ts'
import { type Chosen, filesOf, toldOf } from './choose-files.ts'
import type { ForkOptions, ForkParts } from './fork-options.ts'
import { takeBack } from './half-made.ts'
import type { PointFiles } from './point-files.ts'

/**
 * Forks into a new worktree on a new branch. Its row is there before anything else is, so that a process that dies
 * half way leaves nothing that the next one cannot take back; the fork itself is stored last, together with `within`.
 */
export async function forkIntoWorktree(
  parts: ForkParts,
  parent: Session,
  beginning: Beginning,
  options: ForkOptions,
  chosen: Chosen & { readonly point: PointFiles },
  within: (tx: Transaction, session: Session) => Promise<void> = async () => {},
): Promise<Forked> {
  const { store, process } = parts
  const { project, below } = await whereItWorks(parts, parent)
  return withShadow(parts.dataDirectory, project, async (shadow) => {
    const ground = { project, shadow }
    const { id } = beginning
    const title = options.title ?? parent.title
    const { workspace, notices } = await planWorktree(parts, id, title, chosen.point, ground)
    await store.transaction((tx) => tx.workspaces.insert(workspace))
    try {
      const filled = await fill(parts, options, chosen, workspace, ground)
      const all = [filled.summary, ...notices, ...filled.notices, ...chosen.notices]
      const directory = join(workspace.path, below)
      await mkdir(directory, { recursive: true })
      const isOwnWish = options.files === 'worktree' || options.files === 'clean'
      options.signal?.throwIfAborted()
      const session = await store.transaction(async (tx) => {
        if (!isDeepStrictEqual(await tx.workspaces.get(workspace.id), workspace)) throw takenBack()
        await tx.workspaces.move(workspace.id, 'making', 'ready', process)
        await filled.own?.put(tx)
        const begun = await beginFork(tx, parts, parent.id, beginning, options, {
          directory,
          workspaceID: workspace.id,
          notice: [...(isOwnWish ? [] : [chosen.why]), ...all].join(' '),
          told: toldOf(chosen),
          snapshotID: (filled.own ?? chosen.point).snapshot.id,
        })
        await within(tx, begun)
        return begun
      })
      const files = { ...filesOf(chosen), notices: all }
      return { ...session, files, context: forkContextOf(beginning.context) }
    } catch (error) {
      // What cannot be taken back now is taken back when this process is gone.
      await takeBack(parts, workspace).catch(() => {})
      throw error
    }
  })
}

interface Ground {
  readonly project: Project
  readonly shadow: Shadow
}

/** The project that a session works in, and where in it; where its own worktree is gone, the one that it came from. */
async function whereItWorks(
  { store }: ForkParts,
  { directory, workspaceID }: Session,
): Promise<{ readonly project: Project; readonly below: string }> {
  const real = await realpath(directory).catch(() => null)
  if (real !== null) {
    const project = await findProject(real)
    return { project, below: relative(project.root, real) }
  }
  const workspace = workspaceID && (await store.workspaces.get(workspaceID))
  if (!workspace) throw new BoughError('directory_gone', `The session's directory ${directory} is gone.`)
  return { project: await findProject(workspace.origin), below: relative(workspace.path, directory) }
}

// The name has the id in it, so that no two are ever the same: agents remember sessions by their directory.
async function planWorktree(
  parts: ForkParts,
  sessionID: SessionID,
  title: string,
  { snapshot, earlier }: PointFiles,
  { project, shadow }: Ground,
): Promise<{ readonly workspace: Workspace; readonly notices: readonly string[] }> {
  const { repository } = project
  if (!repository) throw noWorktree(`${project.root} is no git project`)
  if (snapshot.projectID !== project.id) throw noWorktree('The files of that message are of another project')
  const wanted = snapshot.head ?? repository.head
  const commit = wanted && (await survivingCommit(shadow, project, wanted, earlier))
  if (!wanted || !commit) throw noWorktree('Nothing is committed there yet')
  const name = `${slugOf(title)}-${shortID(sessionID)}`
  const worktrees = join(parts.dataDirectory, 'worktrees', project.id)
  await mkdir(worktrees, { recursive: true, mode: 0o700 })
  const workspace: Workspace = {
    id: parts.ids.workspace(),
    projectID: project.id,
    repository: repository.commonDir,
    origin: project.root,
    path: join(await realpath(worktrees), name),
    branch: `bough/${name}`,
    commit,
    state: 'making',
    process: parts.process,
    created: parts.clock(),
  }
  const gone = `The commit of that time, ${wanted.slice(0, 8)}, is gone: the branch begins at the nearest that is left.`
  return { workspace, notices: commit === wanted ? [] : [gone] }
}

interface Filled {
  /** For a person: what there is now. */
  readonly summary: string
  readonly notices: readonly string[]
  /** Its files, where they are not those of the fork point. */
  readonly own: Kept | null
}

async function fill(
  parts: ForkParts,
  options: ForkOptions,
  { mode, point: { snapshot, isCurrent } }: Chosen & { readonly point: PointFiles },
  workspace: Workspace,
  { project, shadow }: Ground,
): Promise<Filled> {
  const { path, branch, commit } = workspace
  const clean = mode === 'clean'
  const { uncommitted } = await makeWorktree(shadow, project, workspace, clean ? null : snapshot.tree)
  const { leftOut } = await copyIncluded(shadow, project, path)
  const own = clean ? await parts.snapshots.withCapture(path, (now) => parts.snapshots.keep(now, {})) : null
  const behind = clean ? await countUncommitted(shadow, project, commit, snapshot.tree) : 0
  const files = clean
    ? `with the files of that commit${behind > 0 ? `; ${filesWord(behind)} of uncommitted work stayed behind` : ''}.`
    : `with the files as they ${isCurrent ? 'are now' : 'were at the fork point'}${uncommitted > 0 ? `; ${filesWord(uncommitted)} not committed` : ''}.`
  // Another commit may stand in for one that is gone; nobody knows whose branch that is.
  const from = commitWords({ commit, branch: commit === snapshot.head ? snapshot.branch : null })
  return {
    summary: `The fork has a worktree of its own, ${path}, on branch ${branch} from ${from}, ${files}`,
    notices: [
      ...leftOut.map((each) => `Not copied, although .worktreeinclude names it: ${each.path} (${each.why}).`),
      ...(await setUp(parts, options, workspace)),
    ],
    own,
  }
}

// Before the fork is there: one that is given up, or killed, leaves nothing. One that fails leaves it to the person.
async function setUp(
  { setUp: command, openSetUpTrust }: ForkParts,
  { onSetUp = () => {}, signal = new AbortController().signal }: ForkOptions,
  { path: directory, origin, repository }: Workspace,
): Promise<readonly string[]> {
  if (command === null) return []
  const changed = await (await openSetUpTrust()).changedIn(directory, repository)
  if (changed.length > 0)
    return [
      `The set-up command was left out: ${changed.join(', ')} has changed since it ran last. Look at it, approve it with "bough trust ${origin}", and fork again, or run "${command}" there.`,
    ]
  const env = { BOUGH_ORIGIN: origin }
  const { exitCode, tail } = await runSetUp(command, directory, { signal, onOutput: onSetUp, env })
  signal.throwIfAborted()
  return exitCode === 0
    ? []
    : [`The set-up command "${command}" failed with exit code ${exitCode}:\n${tail.trimEnd()}\n`]
}

const noWorktree = (why: string): BoughError =>
  new BoughError(
    'worktree_failed',
    `${why}, so there can be no worktree. Fork in the same directory (--files same).`,
  )

const takenBack = (): BoughError =>
  new BoughError('worktree_failed', 'Another process has taken the half-made worktree back. Try again.')
