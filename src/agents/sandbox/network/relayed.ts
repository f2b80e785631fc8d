import { isIP } from 'node:net'
import type { HostRule, RelayTask } from '../../../tree/network.ts'

/** The hosts of URLs, each with its port. */
export const endpointsOf = (urls: readonly string[]): readonly Required<HostRule>[] =>
  urls.flatMap((text) => {
    const url = URL.parse(text)
    if (!url) return []
    const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443))
    return [{ host: url.hostname.replace(/^\[|\]$/g, ''), port }]
  })

/** Clients do not use a proxy for these, or would reach the sandbox's own loopback by it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

export const relayTask = (
  socket: string,
  endpoints: readonly Required<HostRule>[],
  { command, args }: Pick<RelayTask, 'command' | 'args'>,
): RelayTask => {
  const local = endpoints.filter(({ host }) => isLoopback(host))
  const taken = new Set(local.map(({ port }) => port))
  const port = [3128, 3129, 3130, 3131].find((each) => !taken.has(each)) ?? 3132
  return { socket, port, local, command, args }
}
