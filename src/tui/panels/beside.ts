import type { ActionName } from '../keys/actions.ts'

/** What leaves open whatever is open. What is done to the tab below is to be seen there, and closes it first. */
export const isBeside = (name: ActionName): boolean => beside.includes(name)

const beside: readonly ActionName[] = ['help.open', 'app.quit', 'app.suspend']
