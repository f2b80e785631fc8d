import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { createIds, type MessageID, type SessionID, type TurnID } from '../tree/ids.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import type { Touched } from '../workspace/capture/capture-touched.ts'
import { findProject } from '../workspace/project.ts'
import { Shadow } from '../workspace/shadow/shadow.ts'
import { contentsOf, filesIn, newDirectory, newRepository, person, put } from '../workspace/testing/ground.ts'
import { Snapshots } from './snapshots.ts'

class World {
  readonly data: string
  readonly store: Store
  readonly #ids = createIds(Date.now, (size) => crypto.getRandomValues(new Uint8Array(size)))
  readonly #snapshots: Snapshots

  static async open(): Promise<World> {
    const data = await newDirectory('data')
    const store = await openStore(data, Date.now)
    onTestFinished(() => store.close())
    return new World(data, store)
  }

  private constructor(data: string, store: Store) {
    this.data = data
    this.store = store
    this.#snapshots = new Snapshots({ store, ids: this.#ids, clock: Date.now, dataDirectory: data })
  }

  /** A turn that runs in a session of its own. */
  async begin(directory: string): Promise<{ readonly turnID: TurnID; readonly messageID: MessageID }> {
    const [sessionID, turnID, messageID] = [this.#ids.session(), this.#ids.turn(), this.#ids.message()]
    await this.store.transaction(async (tx) => {
      await tx.sessions.insert(newSession(sessionID, directory))
      const parts = [{ type: 'text' as const, text: 'hello' }]
      const message = { id: messageID, role: 'user' as const, parts, created: Date.now() }
      await tx.messages.append(sessionID, [{ ...message, status: 'complete' }])
      await tx.turns.insert({ id: turnID, sessionID, promptID: messageID, started: Date.now() })
    })
    return { turnID, messageID }
  }

  take(
    directory: string,
    turn: { readonly turnID: TurnID; readonly messageID: MessageID },
    fence = async () => {},
    touched: Touched | null = null,
  ): Promise<Snapshot> {
    return this.#snapshots.take(directory, { ...turn, since: Date.now() - 1000, touched, fence })
  }

  async contents({ root, tree }: Snapshot) {
    return contentsOf({ shadow: await Shadow.open(this.data, await findProject(root)), tree })
  }
}

const newSession = (id: SessionID, directory: string) => ({
  ...{
    id,
    parentID: null,
    forkPoint: null,
    title: 'a session',
    titled: false,
    agent: 'offline',
    model: null,
  },
  ...{ directory, kind: 'root' as const, labels: [], created: Date.now() },
})

test('the same files give the same snapshot, a change a new one that a ref of the shadow keeps', async () => {
  const [world, root] = [await World.open(), await newRepository({ a: '1' })]
  const turn = await world.begin(root)
  const first = await world.take(root, turn)
  expect((await world.take(root, turn)).id).toBe(first.id)
  put(root, { a: '2' })
  const second = await world.take(root, turn)
  expect(second.id).not.toBe(first.id)
  for (const { id, projectID, tree } of [first, second]) {
    const ref = join(world.data, 'snapshots', projectID, 'refs', 'snapshots', id)
    expect(readFileSync(ref, 'utf8')).toBe(`${tree}\n`)
    expect(await world.store.snapshots.get(id)).toMatchObject({ id, tree })
  }
  expect(await world.contents(first)).toEqual({ a: '100644 1' })
  expect(await world.contents(second)).toEqual(filesIn(root))
})

test('the HEAD of that time is data', async () => {
  const [world, root] = [await World.open(), await newRepository({ a: '1' })]
  const turn = await world.begin(root)
  const head = person(root, 'rev-parse', 'HEAD').trim()
  expect(await world.take(root, turn)).toMatchObject({ head, branch: 'main' })
  person(root, 'pack-refs', '--all')
  person(root, 'checkout', '-q', '-b', 'feature/x')
  expect(await world.take(root, turn)).toMatchObject({ head, branch: 'feature/x' })
  person(root, 'checkout', '-q', '--detach')
  expect(await world.take(root, turn)).toMatchObject({ head, branch: null })
  const plain = await newDirectory()
  expect(await world.take(plain, turn)).toMatchObject({ head: null, branch: null })
})

test('turns that overlap in one directory are named in the snapshot', async () => {
  const [world, root] = [await World.open(), await newRepository({ 'sub/a': '1' })]
  const elsewhere = await newDirectory()
  const link = join(elsewhere, 'link')
  symlinkSync(root, link)
  const turn = await world.begin(root)
  expect((await world.take(root, turn)).beside).toEqual([])
  const others = [await world.begin(root), await world.begin(join(root, 'sub')), await world.begin(link)]
  await world.begin(elsewhere)
  await world.begin(`${root}-other`)
  expect((await world.take(root, turn)).beside).toEqual(others.map(({ turnID }) => turnID))
})

test('a list of touched files is used only where no other turn ran beside', async () => {
  const [world, root] = [await World.open(), await newRepository({ a: '1', b: '1' })]
  const turn = await world.begin(root)
  const { tree: since } = await world.take(root, turn)
  put(root, { a: '2', b: '2' })
  const touched = { since, paths: [join(root, 'a')] }
  const alone = await world.take(root, turn, undefined, touched)
  expect(await world.contents(alone)).toEqual({ a: '100644 2', b: '100644 1' })
  await world.begin(root)
  const beside = await world.take(root, turn, undefined, { ...touched, since: alone.tree })
  expect(await world.contents(beside)).toEqual({ a: '100644 2', b: '100644 2' })
})

test('a turn that may write nothing more leaves no snapshot in the store', async () => {
  const [world, root] = [await World.open(), await newRepository({ a: '1' })]
  const turn = await world.begin(root)
  const refuse = async () => {
    throw new Error('not ours any more')
  }
  await expect(world.take(root, turn, refuse)).rejects.toThrow('not ours any more')
  expect(await world.store.snapshots.all()).toEqual([])
})
