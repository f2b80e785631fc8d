import type { PermissionAnswer, PermissionRequest } from '../agents/driver.ts'
import type { Store, Transaction } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { Clock, Ids, SessionID, TurnID } from '../tree/ids.ts'
import { type ApprovalScope, offerOf, type Permission } from '../tree/permission.ts'
import type { Session } from '../tree/session.ts'
import { cautionFor } from './caution.ts'
import { type AccessLimits, type FileAccess, judgeFile } from './file-access.ts'
import { offersFor } from './offers.ts'
import { lost } from './ownership.ts'
import { decide, isNamedBy, type JudgedFile, type Policy } from './policy.ts'

// A permission is asked ──▶ allowed | denied, once: by a person through any front end, by the time-out, or by the
// end of its turn. The row in the store decides, so two answers at once cannot both count.

export interface Asker {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  policy(): Promise<Policy>
  readonly limits: AccessLimits
  readonly session: Session
  readonly turnID: TurnID
  readonly epoch: number
  fence(tx: Transaction): Promise<void>
  onAsked(permission: Permission): void
}

/** Answers an agent that wants to act: by the policy, by what the person allowed for this session, or by asking them. */
export async function askPermission(
  asker: Asker,
  request: PermissionRequest,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { store, session } = asker
  await mustStillOwn(asker)
  const file = await judged(asker, request)
  const allowed: PermissionAnswer = { allow: true, ...(file && { path: file.realPath }) }
  const allowedTools = await toolsOfRun(store, session.id, asker.turnID)
  if (allowedTools !== null && !(await isNamedBy(allowedTools, request, file)))
    return { allow: false, reason: 'this run may not use that tool' }
  const policy = await asker.policy()
  const decision = await decide(policy, request, file)
  if (decision === 'allow') return allowed
  if (decision === 'deny') return { allow: false, reason: whyDenied(file) }
  const granted = decision === 'ask' ? await rulesGranted(store, session.id) : []
  if (await isNamedBy(granted, request, file)) return allowed
  const question = {
    tool: request.tool,
    detail: request.detail,
    caution: file && cautionFor(request, file),
    offers: await offersFor(request, file, decision),
  }
  const answer = await ask(asker, question, policy.timeout, signal)
  return answer.allow ? allowed : answer
}

/** What the person allowed beyond a call, as rules. */
async function rulesGranted(store: Store, sessionID: SessionID): Promise<readonly string[]> {
  const grants = await store.permissions.grants(sessionID)
  return grants.flatMap((grant) => offerOf(grant, grant.scope)?.rule ?? [])
}

async function judged({ session, limits }: Asker, request: PermissionRequest): Promise<JudgedFile | null> {
  const { path } = request
  if (path === undefined) return null
  const { directory } = session
  return {
    ...(await judgeFile({ ...request, path }, directory, limits)),
    directory,
    home: limits.homes[0] ?? '~',
  }
}

const whyDenied = (file: FileAccess | null): string =>
  file?.access === 'never' ? "these files are bough's own" : 'the configuration denies it'

/**
 * The only tools that a turn may use; null for all that the policy allows. They bind a run to its last moment, also while somebody
 * ends it, but not the turns after it: it may have become main.
 */
export async function toolsOfRun(
  store: Store,
  sessionID: SessionID,
  turnID: TurnID | null,
): Promise<readonly string[] | null> {
  const fork = await store.sideForks.get(sessionID)
  if (!fork || fork.ended === null) return fork?.allowedTools ?? null
  const { started = 0 } = (turnID && (await store.turns.get(turnID))) || {}
  return started <= fork.ended ? fork.allowedTools : null
}

async function ask(
  asker: Asker,
  question: Pick<Permission, 'tool' | 'detail' | 'caution' | 'offers'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { store, ids, clock, session, turnID } = asker
  const permission: Permission = {
    id: ids.permission(),
    sessionID: session.id,
    turnID,
    ...question,
    state: 'asked',
    scope: 'call',
    asked: clock(),
  }
  await store.transaction(async (tx) => {
    await asker.fence(tx)
    await tx.permissions.insert(permission)
    tx.record({ kind: 'permission.asked', sessionID: session.id, subjectID: permission.id })
  })
  asker.onAsked(permission)
  const state = await answerOf(store, permission, timeoutMs, signal)
  await mustStillOwn(asker)
  if (state === 'allowed') return { allow: true }
  if (state === 'denied') return { allow: false, reason: 'the person denied it' }
  const denied = await answerPermission(store, permission, 'denied', 'call')
  if (!denied && (await store.permissions.get(permission.id))?.state === 'allowed') return { allow: true }
  return { allow: false, reason: signal.aborted ? 'the turn was interrupted' : 'nobody answered in time' }
}

// An owner that was suspended and has lost its session must not touch anything either.
async function mustStillOwn({ store, session, epoch }: Asker): Promise<void> {
  if ((await store.owners.get(session.id))?.epoch !== epoch) throw lost()
}

/** Writes an answer down; false when there was one already. */
export function answerPermission(
  store: Store,
  { id, sessionID }: Permission,
  state: 'allowed' | 'denied',
  scope: ApprovalScope,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    const first = await tx.permissions.answer(id, state, scope)
    if (first) tx.record({ kind: 'permission.answered', sessionID, subjectID: id })
    return first
  })
}

export const notOffered = ({ id, offers }: Permission, scope: ApprovalScope): BoughError =>
  new BoughError(
    'bad_input',
    `${id} cannot be approved with the scope "${scope}". It offers: ${offers.map((offer) => `${offer.scope} (${offer.words})`).join(', ')}.`,
  )

// Resolves with null when the time is up or the turn is interrupted.
async function answerOf(
  store: Store,
  { id }: Permission,
  timeout: number,
  signal: AbortSignal,
): Promise<'allowed' | 'denied' | null> {
  const { promise, resolve, reject } = Promise.withResolvers<'allowed' | 'denied' | null>()
  const look = async () => {
    const state = (await store.permissions.get(id))?.state ?? 'denied'
    if (state !== 'asked') resolve(state)
  }
  const stop = store.watch(() => void look().catch(reject))
  const timer = setTimeout(() => resolve(null), timeout)
  const onAbort = () => resolve(null)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    await look()
    return await promise
  } finally {
    stop()
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
