import type { Project } from '../project.ts'
import { Shadow } from './shadow.ts'
import { usingShadow } from './shadow-use.ts'

/** Does work with a project's shadow. What no ref keeps when it is done may go at any time. */
export const withShadow = <T>(
  dataDirectory: string,
  project: Project,
  work: (shadow: Shadow) => Promise<T>,
): Promise<T> =>
  usingShadow(Shadow.directoryOf(dataDirectory, project), async () =>
    work(await Shadow.open(dataDirectory, project)),
  )
