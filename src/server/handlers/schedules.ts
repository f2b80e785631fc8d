import { scheduleRoutes as routes } from '../../wire/routes/schedules.ts'
import { type Handlers, on, type ServerParts } from '../handler.ts'

export const scheduleHandlers = ({ bough }: ServerParts): Handlers<keyof typeof routes> => ({
  schedules: on(routes.schedules, ({ query }) => bough.schedules(query.channelID)),
  findSchedule: on(routes.findSchedule, ({ query }) => bough.findSchedule(query.id)),
  addRoutine: on(routes.addRoutine, ({ body: { where, ...routine } }) => bough.addRoutine(where, routine)),
  addReminder: on(routes.addReminder, ({ body: { where, ...reminder } }) =>
    bough.addReminder(where, reminder),
  ),
  changeSchedule: on(routes.changeSchedule, ({ params, body }) => bough.changeSchedule(params.id, body)),
  cancelSchedule: on(routes.cancelSchedule, ({ params }) => bough.cancelSchedule(params.id)),
  runSchedule: on(routes.runSchedule, ({ params }) => bough.runSchedule(params.id)),
  scheduleRuns: on(routes.scheduleRuns, ({ params, query }) => bough.scheduleRuns(params.id, query.limit)),
})
