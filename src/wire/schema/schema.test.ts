import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { newHome, openForTest, turn as runTurn } from '../../../test/support/bough.ts'
import { newProject } from '../../../test/support/project.ts'
import { ScriptedAgent, says } from '../../../test/support/scripted-agent.ts'
import { until } from '../../../test/support/until.ts'
import type { Bough } from '../../bough.ts'
import { embed, Ground, minute, tool } from '../../forks/side/testing/ground.ts'
import { jsonDocument } from '../../tree/document/json-document.ts'
import type { TreeEvent } from '../../tree/event.ts'
import { parseSessionDocument } from '../../tree/session-document.ts'
import type { TurnEvent } from '../../tree/turn.ts'
import { agentStatus } from './agent.ts'
import { channel } from './channel.ts'
import { reset, treeEvent } from './event.ts'
import { filesDiff, filesState, garbage, restored, snapshot, workspaceEnd, workspaceUse } from './files.ts'
import { forkContext, forked, forkPreview, forkSeed } from './fork.ts'
import { inboxID, sessionID } from './ids.ts'
import { inboxItem } from './inbox.ts'
import { message } from './message.ts'
import { named } from './names.ts'
import { adoptableList, nativeMessage, ownCommand, reopened } from './native.ts'
import { outboxItem, outgoing } from './outgoing.ts'
import { permission } from './permission.ts'
import { problem } from './problem.ts'
import { schedule, scheduleRun } from './schedule.ts'
import { session } from './session.ts'
import { endedFork, sideFork } from './side-fork.ts'
import { diff, treeRow } from './tree.ts'
import { draft, turn, turnEnd, turnEvent } from './turn.ts'
import { update } from './update.ts'

/** Over the wire and back: nothing is refused, nothing is lost. */
function survives<T>(schema: z.ZodMiniType<T>, value: T): void {
  const sent: unknown = JSON.parse(JSON.stringify(value))
  expect(schema.parse(sent)).toStrictEqual(sent)
}

function allSurvive<T>(schema: z.ZodMiniType<T>, values: readonly T[]): void {
  expect(values).not.toEqual([])
  for (const value of values) survives(schema, value)
}

/** All that has been written down so far. */
async function changesIn(bough: Bough, directory: string): Promise<readonly TreeEvent[]> {
  const changes: TreeEvent[] = []
  const { id: lastID } = await bough.create({ directory })
  for await (const event of bough.events({ after: 0, signal: AbortSignal.timeout(20_000) })) {
    if (event.kind === 'reset') throw new Error('Events are gone.')
    changes.push(event)
    if (event.sessionID === lastID) break
  }
  return changes
}

const kindsOf = <K extends string>(things: readonly { readonly kind: K }[]): readonly K[] => [
  ...new Set(things.map(({ kind }) => kind)),
]

const typesOf = (events: readonly TurnEvent[]): readonly string[] =>
  [...new Set(events.map(({ type }) => type))].sort()

describe('the API description', () => {
  const uri = (id: string) => `#/components/schemas/${id}`

  it.each(['input', 'output'] as const)('has a name for whatever the %s needs more than once', (io) => {
    const { schemas } = z.toJSONSchema(named, { io, uri })
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['Session', 'Message', 'Json', 'TreeEvent']))
    expect(schemas).not.toHaveProperty('__shared')
    const described = JSON.stringify(schemas)
    expect(described).not.toContain('$defs')
    const references = [...described.matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to)
    const known = Object.keys(schemas).map(uri)
    expect(known).toEqual(expect.arrayContaining(references))
  })

  it('leaves room for fields of a newer server in what is read, and has none in what is written', () => {
    const { schemas } = z.toJSONSchema(named, { io: 'output', uri })
    expect(schemas.Session).toMatchObject({ additionalProperties: false })
    const sent = { type: 'about:blank', title: 'Gone', status: 404, detail: 'Look again.', code: 'not_found' }
    expect(problem.parse({ ...sent, later: true })).toEqual(sent)
  })

  it('shows what an id looks like', () => {
    const { schemas } = z.toJSONSchema(named, { uri })
    const { pattern } = schemas.SessionID ?? {}
    expect(new RegExp(pattern ?? '').test('ses_01kc0123456789abcdefghjkmn')).toBe(true)
    for (const wrong of ['ses_1', 'msg_01kc0123456789abcdefghjkmn', 'ses_01kc0123456789abcdefghjkmi', '']) {
      expect(new RegExp(pattern ?? '').test(wrong)).toBe(false)
      expect(sessionID.safeParse(wrong).success).toBe(false)
    }
  })
})

describe('over the wire and back goes, whole,', () => {
  it('a project with turns, forks of every kind and their files', async () => {
    const { bough, root, sessionID: id, turn: instruct } = await newProject()
    const begun = await bough.send(id, 'write a.txt: one\nrun echo hi\nread a.txt\nwords 5')
    const events = await Array.fromAsync(begun.events)
    expect(typesOf(events)).toEqual(['ended', 'message', 'text', 'tool-call', 'tool-result'])
    allSurvive(turnEvent, events)
    survives(turn, { id: begun.id, sessionID: begun.sessionID, prompt: begun.prompt })
    survives(turnEnd, await begun.ended)
    const first = (await bough.messages(id)).at(-1)
    const last = await instruct('write a.txt: two', 'delete gone.txt', 'fail because it has to')
    allSurvive(message, await bough.messages(id))

    const at = { messageID: first?.id ?? last }
    const worktree = await bough.fork(id, { ...at, files: 'worktree', title: 'Beside' })
    await runTurn(bough, worktree.id, 'write b.txt: new')
    survives(forked, worktree)
    survives(forked, await bough.fork(id, { files: 'same', agent: 'offline', model: 'small' }))
    survives(forkPreview, await bough.previewFork(id, { ...at, files: 'restore' }))
    survives(forkContext, await bough.forkContext(id))
    survives(forked, await bough.fork(id, { ...at, files: 'restore' }))
    survives(restored, await bough.undo(root, { dryRun: true }))
    survives(restored, await bough.undo(root))
    survives(filesDiff, await bough.files(id, first?.id))
    const compared = await bough.compareFiles({ directory: root }, { sessionID: worktree.id })
    expect(compared.from.id).toBeNull()
    survives(filesDiff, compared)
    survives(filesState, compared.to)
    const { snapshot: snapshotID } = first ?? {}
    survives(snapshot, await bough.findSnapshot(snapshotID ?? ''))
    survives(diff, await bough.diff(id, worktree.id))
    survives(diff, await bough.diff(id, worktree.id, { files: true }))
    survives(session, await bough.change(id, { labels: ['soup', 'hot'], archived: true }))
    allSurvive(session, await bough.children(id))
    allSurvive(treeRow, await bough.tree())
    const { workspace } = await bough.remove(worktree.id)
    expect(workspace?.saved).not.toBeNull()
    survives(z.nullable(workspaceEnd), workspace)
    survives(garbage, await bough.gc({ dryRun: true }))
    allSurvive(agentStatus, await bough.agents())

    const changes = await changesIn(bough, root)
    expect(kindsOf(changes)).toEqual(
      expect.arrayContaining([
        'session.created',
        'session.deleted',
        'message.added',
        'turn.started',
        'turn.ended',
      ]),
    )
    allSurvive(treeEvent, changes)
  })

  it('what an agent asks, and a turn that is interrupted', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const { id } = await bough.create({ directory: home.project })
    const begun = await bough.send(id, 'run echo hi\nsleep 60')
    const events: TurnEvent[] = []
    for await (const event of begun.events) {
      events.push(event)
      if (event.type === 'permission') {
        allSurvive(permission, await bough.permissions())
        survives(permission, await bough.answer(event.permission.id, { allow: true, scope: 'session' }))
      }
      if (event.type === 'tool-result') await bough.abort(id)
    }
    expect(typesOf(events)).toContain('permission')
    expect((await begun.ended).outcome).toBe('interrupted')
    const changes = await changesIn(bough, home.project)
    expect(kindsOf(changes)).toEqual(expect.arrayContaining(['permission.asked', 'permission.answered']))
    allSurvive(treeEvent, changes)
    allSurvive(turnEvent, events)
    allSurvive(message, await bough.messages(id))
  })

  it('a channel: its forks and runs, what comes in and what goes out', async () => {
    const ground = await Ground.open()
    const { bough, channelID, front } = ground
    survives(channel, await ground.channel())
    await ground.say(`hello\n${embed('Count the herons')}`)
    await ground.fork('Herons', 30)
    survives(channel, await ground.channel())
    const open = await ground.openFork()
    survives(sideFork, open)
    allSurvive(treeRow, await bough.tree())
    await ground.say('in the fork')
    ground.pass(31)
    await until('the idle question', async () => (await ground.openFork()).promptedAt)
    await ground.looked()
    survives(endedFork, await bough.exit(open.sessionID, { action: 'report', text: 'There are two.' }))
    allSurvive(update, await bough.updates(channelID))
    await ground.say(tool('enter_fork', { topic: 'Once more' }))
    await ground.say(tool('save_context'))
    await ground.fork()
    await ground.exit('discard')
    await ground.reply(front.shown[0]?.externalID ?? '', 'and then?')
    await ground.click(await ground.button())
    survives(sideFork, await ground.run(`fly\n${tool('ping_user', { text: 'They flew.' })}`))
    survives(sideFork, await ground.run('fail because it has to'))
    const limits = { allowedTools: ['read'], timeout: 5 }
    survives(sideFork, await bough.runBackground(channelID, 'read a.txt', limits))
    await until('the runs', async () => (await ground.sideForks()).every(({ state }) => state === 'ended'))
    await ground.looked()
    allSurvive(sideFork, await ground.sideForks())

    const soon = { at: ground.time.now + minute, prompt: 'tea' }
    const reminder = await bough.addReminder(channelID, { ...soon, mode: 'main' })
    const hourly = { cron: '0 * * * *', zone: 'Europe/Berlin', prompt: 'news', allowedTools: ['read'] }
    const routine = await bough.addRoutine(channelID, hourly)
    allSurvive(schedule, [reminder, routine, ...(await bough.schedules())])
    survives(z.nullable(sideFork), await bough.runSchedule(routine.id))
    ground.pass(2)
    await until('the tea', async () => (await bough.scheduleRuns(reminder.id)).length > 0)
    await ground.looked()
    allSurvive(scheduleRun, await bough.scheduleRuns(reminder.id))
    ground.pass(70)
    await until('the news', async () => (await bough.scheduleRuns(routine.id)).length > 0)
    allSurvive(scheduleRun, await bough.scheduleRuns(routine.id))
    survives(schedule, await bough.cancelSchedule(routine.id))

    const incoming = front.shown.map(({ item }) => item.what)
    expect(kindsOf(incoming)).toEqual(expect.arrayContaining(['message', 'idle', 'click', 'schedule']))
    allSurvive(
      inboxItem,
      front.shown.map(({ item }) => item),
    )
    const sent = await bough.sent(channelID, 100)
    expect(kindsOf(sent.map(({ what }) => what))).toEqual(
      expect.arrayContaining(['message', 'embed', 'entered', 'ended', 'notice']),
    )
    allSurvive(outboxItem, sent)
    allSurvive(
      outgoing,
      front.edited.map(({ what }) => what),
    )
    allSurvive(treeRow, await bough.tree())
    const changes = await changesIn(bough, ground.directory)
    expect(kindsOf(changes)).toEqual(
      expect.arrayContaining(['fork.entered', 'fork.changed', 'fork.ended', 'main.moved', 'update.added']),
    )
    allSurvive(treeEvent, changes)
  })

  it('what an agent keeps by itself, and the seed of one that was given the line', async () => {
    const agent = new ScriptedAgent('scripted', (prompt) => says(prompt.startsWith('===') ? 'Ready.' : 'yes'))
    const home = await newHome()
    const bough = await openForTest(home, { drivers: [agent.driver] })
    const { id } = await bough.create({ agent: 'scripted', directory: home.project })
    await runTurn(bough, id, 'hello')
    survives(forkPreview, await bough.previewFork(id, { context: 'seed', files: 'same' }))
    const fork = await bough.fork(id, { context: 'seed', files: 'same' })
    survives(forked, fork)
    survives(z.nullable(forkSeed), await bough.seed(fork.id))
    survives(session, await bough.session(fork.id))
    allSurvive(message, await bough.messages(fork.id))
    await runTurn(bough, fork.id, 'on')
    await bough.close()
    const again = await openForTest(home, { drivers: [agent.driver] })
    const opened = await again.reopen(fork.id)
    survives(reopened, opened)
    allSurvive(nativeMessage, opened.seed)
    await again.lend(fork.id, async (command) => survives(ownCommand, command))
    survives(adoptableList, await again.adoptable({ directory: home.project }))
    const kept = { title: 'Soup', directory: '/', created: 1.5, updated: 2, bytes: 3, forkOf: null }
    survives(adoptableList, {
      sessions: [{ ...kept, nativeID: 'n', agent: 'scripted', sessionID: id }],
      notices: ['One could not tell.'],
    })
  })

  it('a session from a document, with arguments that only JSON knows', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const { id } = await bough.create({ directory: home.project })
    await runTurn(bough, id, 'write a.txt: one')
    const pieces = await Array.fromAsync(jsonDocument(await bough.session(id), bough.line(id), Date.now()))
    const odd = `{"__proto__":1,"deep":${'['.repeat(400)}null${']'.repeat(400)}}`
    const text = pieces.join('').replace(/"args":\s*\{[^}]*\}/, `"args":${odd}`)
    const document = parseSessionDocument('it', text)
    const imported = await bough.importDocument(document, { directory: home.project })
    survives(session, imported)
    const messages = await bough.messages(imported.id)
    expect(JSON.stringify(messages)).toContain(odd)
    allSurvive(message, messages)
    // Comparing values would not see a key of this name.
    expect(JSON.stringify(z.array(message).parse(messages))).toContain(odd)
  })

  it('what cannot be had so quickly', () => {
    const id = 'ses_01kc0123456789abcdefghjkmn'
    survives(reset, { kind: 'reset', seq: 7 })
    survives(draft, {
      messageID: 'msg_01kc0123456789abcdefghjkmn',
      role: 'assistant',
      parts: [{ type: 'reasoning', text: 'hm' }],
    })
    survives(workspaceUse, { directory: '/p', workspaceID: null, branch: null, sessions: 1, updated: 5 })
    survives(restored, { root: '/p', changes: [], left: [], notices: ['Not quite.'], before: null })
    survives(agentStatus, { name: 'codex', installed: false, ready: false, detail: 'none', fix: 'npm i' })
    survives(agentStatus, { name: 'codex', installed: true, ready: false, certain: true, detail: 'none' })
    survives(problem, {
      ...{ type: 'about:blank', title: 'Bad input', status: 400, detail: 'Correct it.', code: 'bad_input' },
      errors: [{ path: 'body.title', message: 'is empty' }],
    })
    for (const [schema, prefix] of [
      [sessionID, 'ses'],
      [inboxID, 'inb'],
    ] as const)
      expect(schema.safeParse(id.replace('ses', prefix)).success).toBe(true)
  })
})
