import * as z from 'zod/mini'
import { count, plain, route, words } from '../route.ts'
import { channel } from '../schema/channel.ts'
import { runFiles } from '../schema/files.ts'
import { channelID, inquiryID, messageID, outboxID, sessionID, turnID, updateID } from '../schema/ids.ts'
import { inboxItem } from '../schema/inbox.ts'
import { list } from '../schema/list.ts'
import { outboxItem, outgoing } from '../schema/outgoing.ts'
import { permission } from '../schema/permission.ts'
import { sandboxMode } from '../schema/session.ts'
import { exitAction, sideFork } from '../schema/side-fork.ts'
import { update } from '../schema/update.ts'
import { idleTimeout, largestWithPrompt, prompt } from './fields.ts'
import { beginning } from './sessions.ts'
import { begunTurn, callKey } from './turns.ts'

const params = z.strictObject({ id: channelID })
export const where = z.union([channelID, sessionID], {
  error: 'The id here is that of a channel, chn_…, or of a session, ses_…',
})
export const tools = z.array(words(200)).check(z.maxLength(200))
export const ofChannel = z.strictObject({ channelID: z.exactOptional(channelID) })
const callID = words(100)

/** Which session it went to, and the turn that it began, where it began one. */
const taken = z.object({
  sessionID,
  turnID: z.nullable(turnID),
  messageID: z.nullable(messageID),
})

/** What whoever says something is sent: a turn to show, words, and in the end that it is done. */
const said = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('show'), call: callID, turn: begunTurn, item: inboxItem }),
  z.object({ kind: z.literal('taken') }),
  z.object({ kind: z.literal('began'), turn: begunTurn }),
  z.object({ kind: z.literal('entered'), forkID: sessionID }),
  z.object({ kind: z.literal('tell'), words: z.string() }),
  z.object({ kind: z.literal('done') }),
])

const saying = {
  ...plain,
  params,
  largestBody: largestWithPrompt,
  status: 202,
  result: taken,
  events: said,
} as const
const key = { key: z.exactOptional(callKey), show: z.exactOptional(z.boolean()) }

/** Channels, what is said in them, and what runs beside. */
export const channelRoutes = {
  channels: route({
    ...plain,
    method: 'GET',
    path: '/channel',
    about: 'Channels, oldest first',
    result: list(channel),
  }),
  openChannel: route({
    ...plain,
    method: 'POST',
    path: '/channel',
    about: 'The channel that a front end knows by a key; made, with a main, where there is none yet',
    body: z.extend(beginning, {
      frontEnd: z.exactOptional(words(100)),
      key: words(500),
      mainID: z.exactOptional(sessionID),
    }),
    status: 201,
    result: channel,
  }),
  channel: route({
    ...plain,
    method: 'GET',
    path: '/channel/{id}',
    about: 'A channel: its main and its open fork',
    params,
    result: channel,
  }),
  channelOf: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/channel',
    about: 'The channel whose main or open fork a session is; made where there is none',
    params: z.strictObject({ id: sessionID }),
    result: channel,
  }),
  promote: route({
    ...plain,
    method: 'POST',
    path: '/channel/{id}/main',
    about: 'Make a session the main of a channel',
    params,
    body: z.strictObject({ sessionID }),
    result: channel,
  }),
  say: route({
    ...plain,
    ...saying,
    method: 'POST',
    path: '/channel/{id}/message',
    about: 'Say something: to the open fork, else to main; or in reply to a message of the chat',
    body: z.strictObject({
      text: z.string(),
      externalID: z.exactOptional(words(500)),
      replyTo: z.exactOptional(z.strictObject({ externalID: words(500), text: z.string() })),
      ...key,
    }),
  }),
  sayFork: route({
    ...plain,
    ...saying,
    method: 'POST',
    path: '/channel/{id}/fork',
    about: 'Open an interactive fork of main',
    body: z.strictObject({
      topic: z.exactOptional(z.string()),
      idleTimeout: z.exactOptional(idleTimeout),
      ...key,
    }),
  }),
  sayExit: route({
    ...plain,
    ...saying,
    method: 'POST',
    path: '/channel/{id}/exit',
    about: 'End a fork of the channel, in its turn after what was said before',
    body: z.strictObject({ action: exitAction, forkID: sessionID, ...key }),
  }),
  sayClick: route({
    ...plain,
    ...saying,
    method: 'POST',
    path: '/channel/{id}/click',
    about: 'Click a button that a fork has shown',
    body: z.strictObject({ inquiryID, ...key }),
  }),
  waiting: route({
    ...plain,
    method: 'GET',
    path: '/channel/{id}/waiting',
    about: 'What came into a channel and has not begun yet, in its order',
    params,
    result: list(inboxItem),
  }),
  attend: route({
    ...plain,
    method: 'POST',
    path: '/channel/{id}/attend',
    about: 'Show a channel: the reader is called for each thing to show, as long as it reads',
    params,
    body: z.strictObject({ guest: z.exactOptional(z.boolean()) }),
    bodyIsOptional: true,
    events: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('attending') }),
      z.object({ kind: z.literal('show'), call: callID, turn: begunTurn, item: inboxItem }),
      z.object({ kind: z.literal('send'), call: callID, what: outgoing, id: outboxID, sessionID }),
      z.object({ kind: z.literal('edit'), call: callID, externalID: z.string(), what: outgoing }),
      z.object({ kind: z.literal('ask'), call: callID, permission }),
      z.object({ kind: z.literal('withdraw'), call: callID }),
    ]),
  }),
  answerCall: route({
    ...plain,
    method: 'POST',
    path: '/call/{call}',
    about: 'Answer a call that the server made of a reader',
    params: z.strictObject({ call: callID }),
    body: z.strictObject({
      externalID: z.exactOptional(z.nullable(z.string())),
      failed: z.exactOptional(z.string()),
    }),
  }),
  link: route({
    ...plain,
    method: 'POST',
    path: '/channel/{id}/link',
    about: "Note that a message in a chat is a fork's, so that a reply to it goes on with that fork",
    params,
    body: z.strictObject({ externalID: words(500), sessionID, turnID: z.exactOptional(turnID) }),
  }),
  sent: route({
    ...plain,
    method: 'GET',
    path: '/channel/{id}/sent',
    about: 'The newest things that were sent in a channel, or wait for that; oldest first',
    params,
    query: z.strictObject({ limit: z.exactOptional(count(1000)) }),
    result: list(outboxItem),
  }),
  runBackground: route({
    ...plain,
    method: 'POST',
    path: '/run',
    about: "Start a background fork of a channel's main",
    body: z.strictObject({
      where,
      prompt,
      agent: z.exactOptional(words(100)),
      model: z.exactOptional(words(200)),
      allowedTools: z.exactOptional(tools),
      sandbox: z.exactOptional(sandboxMode),
      timeout: z.exactOptional(
        z.number().check(z.positive(), z.maximum(1_000_000), z.describe('Minutes that it may take.')),
      ),
      inheritGrants: z.exactOptional(z.boolean()),
      files: z.exactOptional(runFiles),
    }),
    largestBody: largestWithPrompt,
    status: 201,
    result: sideFork,
  }),
  sideForks: route({
    ...plain,
    method: 'GET',
    path: '/run',
    about: 'Forks that come back, the newest first',
    query: z.strictObject({
      channelID: z.exactOptional(channelID),
      state: z.exactOptional(z.enum(['open', 'ended'])),
      limit: z.exactOptional(count(1000)),
    }),
    result: list(sideFork),
  }),
  sideFork: route({
    ...plain,
    method: 'GET',
    path: '/run/{id}',
    about: 'How it goes with a fork that comes back; null for any other session',
    params: z.strictObject({ id: sessionID }),
    result: z.nullable(sideFork),
  }),
  pending: route({
    ...plain,
    method: 'GET',
    path: '/pending',
    about: 'How many things still have to be done, in any channel',
    result: z.object({ count: z.int() }),
  }),
  updates: route({
    ...plain,
    method: 'GET',
    path: '/update',
    about: 'What forks reported and main has not been told, oldest first',
    query: ofChannel,
    result: list(update),
  }),
  clearUpdates: route({
    ...plain,
    method: 'DELETE',
    path: '/update',
    about: 'Forget what forks reported and main has not been told; with upTo nothing that came after that',
    query: z.extend(ofChannel, { upTo: z.exactOptional(updateID) }),
    result: z.object({ count: z.int() }),
  }),
}
