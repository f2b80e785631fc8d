import * as z from 'zod/mini'
import { type SandboxMode, sandboxModes } from '../../tree/sandbox.ts'
import type { Session, SessionKind, SessionState } from '../../tree/session.ts'
import { messageID, seedID, sessionID, workspaceID } from './ids.ts'
import { list } from './list.ts'
import { component } from './names.ts'
import { count, time } from './numbers.ts'
import { cost } from './usage.ts'

export const sessionKind = component(
  'SessionKind',
  z.enum(['root', 'branch', 'interactive', 'background']),
) satisfies z.ZodMiniType<SessionKind>

export const sessionState = component(
  'SessionState',
  z.enum(['idle', 'running', 'seeding']),
) satisfies z.ZodMiniType<SessionState>

export const sandboxMode = component('SandboxMode', z.enum(sandboxModes)) satisfies z.ZodMiniType<SandboxMode>

export const session = component(
  'Session',
  z.object({
    id: sessionID,
    parentID: z.nullable(sessionID),
    forkPoint: z.nullable(messageID),
    forkSeedID: z.nullable(seedID),
    title: z.string(),
    agent: z.string(),
    model: z.nullable(z.string()),
    directory: z.string(),
    sandbox: z.nullable(sandboxMode),
    workspaceID: z.nullable(workspaceID),
    kind: sessionKind,
    state: sessionState,
    labels: list(z.string()),
    archived: z.boolean(),
    deleted: z.boolean(),
    messages: count,
    nativeID: z.nullable(z.string()),
    cost,
    created: time,
    updated: time,
  }),
) satisfies z.ZodMiniType<Session>
