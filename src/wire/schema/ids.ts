import * as z from 'zod/mini'
import { component } from './names.ts'

// 10 characters of time and 16 of chance, none of them easily taken for another.
const unique = z.string().check(z.regex(/^[0-9a-hjkmnp-tv-z]{26}$/))

const idOf = <P extends string>(name: string, prefix: P) =>
  component(
    name,
    z.templateLiteral([`${prefix}_`, unique], {
      error: `An id here is ${prefix}_ and 26 letters and digits`,
    }),
  )

export const sessionID = idOf('SessionID', 'ses')
export const messageID = idOf('MessageID', 'msg')
export const turnID = idOf('TurnID', 'trn')
export const permissionID = idOf('PermissionID', 'per')
export const requestID = idOf('RequestID', 'req')
export const snapshotID = idOf('SnapshotID', 'snp')
export const workspaceID = idOf('WorkspaceID', 'wsp')
export const seedID = idOf('SeedID', 'sed')
export const channelID = idOf('ChannelID', 'chn')
export const updateID = idOf('UpdateID', 'upd')
export const inquiryID = idOf('InquiryID', 'inq')
export const scheduleID = idOf('ScheduleID', 'sch')
export const inboxID = idOf('InboxID', 'inb')
export const outboxID = idOf('OutboxID', 'out')
