import { channelRoutes } from './routes/channels.ts'
import { forkRoutes } from './routes/forks.ts'
import { scheduleRoutes } from './routes/schedules.ts'
import { serverRoutes } from './routes/server.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { turnRoutes } from './routes/turns.ts'

/** Every route. */
export const routes = {
  ...serverRoutes,
  ...sessionRoutes,
  ...turnRoutes,
  ...forkRoutes,
  ...channelRoutes,
  ...scheduleRoutes,
}

export type Routes = typeof routes
export type RouteName = keyof Routes
