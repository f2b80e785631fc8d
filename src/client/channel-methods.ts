import type { Bough } from '../bough.ts'
import { routes } from '../wire/routes.ts'
import { attend } from './attend.ts'
import type { Http } from './http.ts'
import { say } from './say.ts'

type ChannelMethods = Pick<
  Bough,
  | ('openChannel' | 'channelOf' | 'channel' | 'channels' | 'attend' | 'say' | 'link' | 'exit' | 'sent')
  | ('runBackground' | 'sideFork' | 'sideForks' | 'pending' | 'updates' | 'clearUpdates')
  | ('schedules' | 'findSchedule' | 'addRoutine' | 'addReminder' | 'changeSchedule' | 'cancelSchedule')
  | ('runSchedule' | 'scheduleRuns' | 'promote' | 'waiting' | 'putBack')
>

/** Channels, forks that come back, and schedules, over HTTP. */
export const channelMethods = (http: Http): ChannelMethods => ({
  openChannel: (place, { labels, ...options } = {}) =>
    http.call(routes.openChannel, { body: { ...options, ...place, ...(labels && { labels: [...labels] }) } }),
  channelOf: (id) => http.call(routes.channelOf, { params: { id } }),
  channel: (id) => http.call(routes.channel, { params: { id } }),
  channels: () => http.call(routes.channels),
  promote: (id, sessionID) => http.call(routes.promote, { params: { id }, body: { sessionID } }),
  attend: (id, frontEnd) => attend(http, id, frontEnd),
  say: (id, what, options) => say(http, id, what, options),
  waiting: (id) => http.call(routes.waiting, { params: { id } }),
  link: (id, externalID, sessionID, turnID) =>
    http.call(routes.link, {
      params: { id },
      body: { externalID, sessionID, ...(turnID !== undefined && { turnID }) },
    }),
  exit: (id, { text, ...body }) =>
    http.call(routes.exit, {
      params: { id },
      body: { ...body, ...(text !== undefined && { message: text }) },
    }),
  putBack: (id, body = {}) => http.call(routes.putBack, { params: { id }, body }),
  sent: (id, limit) => http.call(routes.sent, { params: { id }, query: atMost(limit) }),
  runBackground: (where, prompt, options = {}) =>
    http.call(routes.runBackground, { body: { ...options, ...tools(options), where, prompt } }),
  sideFork: (id) => http.call(routes.sideFork, { params: { id } }),
  sideForks: (query = {}) => http.call(routes.sideForks, { query }),
  pending: async () => (await http.call(routes.pending)).count,
  updates: (id) => http.call(routes.updates, { query: id ? { channelID: id } : {} }),
  clearUpdates: async (query = {}) => (await http.call(routes.clearUpdates, { query })).count,
  schedules: (id) => http.call(routes.schedules, { query: id ? { channelID: id } : {} }),
  findSchedule: (id) => http.call(routes.findSchedule, { query: { id } }),
  addRoutine: (where, draft) => http.call(routes.addRoutine, { body: { ...draft, ...tools(draft), where } }),
  addReminder: (where, draft) =>
    http.call(routes.addReminder, { body: { ...draft, ...tools(draft), where } }),
  changeSchedule: (id, body) => http.call(routes.changeSchedule, { params: { id }, body }),
  cancelSchedule: (id) => http.call(routes.cancelSchedule, { params: { id } }),
  runSchedule: (id) => http.call(routes.runSchedule, { params: { id } }),
  scheduleRuns: (id, limit) => http.call(routes.scheduleRuns, { params: { id }, query: atMost(limit) }),
})

const atMost = (limit: number | undefined) => (limit === undefined ? {} : { limit })

const tools = ({ allowedTools }: { readonly allowedTools?: readonly string[] }) =>
  allowedTools ? { allowedTools: [...allowedTools] } : {}
