import { UsageError } from '../usage-error.ts'

/** Where a server is that nobody gave another port. */
export const usualPort = 4517
const example = `http://127.0.0.1:${usualPort}`

/** The address of a server as a person gives it, checked; `from` is where they gave it. */
export function serverURL(given: string, from: '--server' | 'BOUGH_SERVER'): string {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new UsageError(`${from} needs the address of a server, like ${example}, not "${given}".`)
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      `${from} takes no name and no password: leave them out, and set BOUGH_TOKEN to the server's token.`,
    )
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new UsageError(`${from} takes no path: write ${url.origin}, not "${given}".`)
  return url.origin
}

/** Whether only this machine answers there. */
export const isHere = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
