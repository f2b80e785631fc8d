import { homedir } from 'node:os'
import { plainLine } from '../../tree/plain-text.ts'
import { cut, widthOf } from '../screen/frame.ts'

/** A directory as a person would write it. Where there is little room its beginning is left out. */
export function shortPath(directory: string, columns = Number.POSITIVE_INFINITY, home = homedir()): string {
  const isHome = directory === home || directory.startsWith(`${home}/`)
  const path = plainLine(isHome ? `~${directory.slice(home.length)}` : directory)
  if (widthOf(path) <= columns) return path
  const parts = path.split('/')
  while (parts.length > 1 && widthOf(`…/${parts.join('/')}`) > columns) parts.shift()
  return cut(`…/${parts.join('/')}`, columns)
}
