import { join } from 'node:path'

/** The file of a made-up project that changes in a turn. */
export const changedFile = (project: string): string => join(project, 'd1', 'f1.txt')
