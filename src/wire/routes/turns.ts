import * as z from 'zod/mini'
import { plain, route, words } from '../route.ts'
import { messageID, sessionID, turnID } from '../schema/ids.ts'
import { message } from '../schema/message.ts'
import { adoptableList, ownCommand, reopened } from '../schema/native.ts'
import { session } from '../schema/session.ts'
import { turnEvent } from '../schema/turn.ts'
import { directory, largestWithPrompt } from './fields.ts'

const params = z.strictObject({ id: sessionID })

/** A turn without what happens in it. */
export const begunTurn = z.object({ id: turnID, sessionID, prompt: message })

/** What whoever follows a turn is sent: which it is, and then what happens, from its beginning. */
export const turnStream = z.union([z.object({ type: z.literal('turn'), turn: begunTurn }), turnEvent])

/** What tells a call apart that somebody may want to give up: made up by who calls. */
export const callKey = words(100)

/** Turns, and the agents that run them. */
export const turnRoutes = {
  send: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/message',
    about: 'Run a turn. Answers when the prompt is stored; a reader of events gets the whole turn',
    params,
    body: z.strictObject({ text: z.string(), key: z.exactOptional(callKey) }),
    largestBody: largestWithPrompt,
    status: 202,
    result: z.object({ turnID, messageID, sessionID }),
    events: turnStream,
  }),
  follow: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/turn',
    about: 'The turn that runs in a session, or one that is named, as events from its beginning',
    params,
    query: z.strictObject({ turnID: z.exactOptional(turnID) }),
    result: z.nullable(begunTurn),
    events: turnStream,
  }),
  abort: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/abort',
    about: 'Interrupt the turn that runs in a session',
    params,
    result: z.object({ aborted: z.boolean() }),
  }),
  giveUp: route({
    ...plain,
    method: 'POST',
    path: '/give-up',
    about: 'Give up what was sent with a key: it is withdrawn while it waits, and its turn is interrupted',
    body: z.strictObject({ key: callKey }),
    result: z.object({ givenUp: z.boolean() }),
  }),
  warm: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/warm',
    about: "Open the session's agent, so that it answers the next prompt sooner",
    params,
  }),
  reopen: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/reopen',
    about: "Take in what was said in the agent's own tool since",
    params,
    result: reopened,
  }),
  ownCommand: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/resume',
    about: "How a person goes on with a session in its agent's own tool",
    params,
    result: ownCommand,
  }),
  lend: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/resume',
    about: "Lend a session to its agent's own tool, until the call that is made of the reader is answered",
    params,
    events: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('lent'), call: words(100), command: ownCommand }),
      z.object({ kind: z.literal('done') }),
    ]),
  }),
  adoptable: route({
    ...plain,
    method: 'GET',
    path: '/import',
    about: 'What the agents keep by themselves for a directory and its worktrees',
    query: z.strictObject({
      directory: z.exactOptional(directory),
      agent: z.exactOptional(words(100)),
    }),
    result: adoptableList,
  }),
  adopt: route({
    ...plain,
    method: 'POST',
    path: '/import',
    about: 'Bind a session to what an agent keeps; one that is bound already is given back',
    body: z.strictObject({ agent: words(100), nativeID: words(500) }),
    status: 201,
    result: session,
  }),
  importDocument: route({
    ...plain,
    method: 'POST',
    path: '/import/document',
    about: 'A new session with the messages of one that was exported: the body is that document',
    query: z.strictObject({ directory, agent: z.exactOptional(words(100)) }),
    body: z.string(),
    bodyIsText: true,
    largestBody: 256_000_000,
    status: 201,
    result: session,
  }),
}
