import * as z from 'zod/mini'
import type { Adoptable, AdoptableList, NativeMessage, OwnCommand, Reopened } from '../../tree/native.ts'
import { sessionID } from './ids.ts'
import { list } from './list.ts'
import { messageStatus, part, role } from './message.ts'
import { component } from './names.ts'
import { count } from './numbers.ts'
import { usage } from './usage.ts'

// Agents keep their own time, some of them in fractions.
const time = z.number().check(z.describe('Milliseconds since 1970.'))

export const nativeMessage = component(
  'NativeMessage',
  z.object({
    role,
    parts: list(part),
    status: messageStatus,
    created: time,
    nativeID: z.exactOptional(z.nullable(z.string())),
    usage: z.exactOptional(z.nullable(usage)),
  }),
) satisfies z.ZodMiniType<NativeMessage>

export const reopened = component(
  'Reopened',
  z.object({
    added: count,
    branchID: z.nullable(sessionID),
    seed: list(nativeMessage),
    missing: z.nullable(z.string()),
  }),
) satisfies z.ZodMiniType<Reopened>

export const adoptable = component(
  'Adoptable',
  z.object({
    agent: z.string(),
    nativeID: z.string(),
    title: z.string(),
    directory: z.string(),
    created: time,
    updated: time,
    bytes: z.nullable(count),
    forkOf: z.nullable(z.string()),
    sessionID: z.nullable(sessionID),
  }),
) satisfies z.ZodMiniType<Adoptable>

export const adoptableList = component(
  'AdoptableList',
  z.object({ sessions: list(adoptable), notices: list(z.string()) }),
) satisfies z.ZodMiniType<AdoptableList>

const command: z.ZodMiniType<OwnCommand['command'], OwnCommand['command']> = z.tuple([z.string()], z.string())

export const ownCommand = component(
  'OwnCommand',
  z.object({ command, directory: z.string() }),
) satisfies z.ZodMiniType<OwnCommand>
