import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { type HostRule, isHostAllowed } from '../../../tree/network.ts'

type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>

/**
 * The address that a program may be connected to for a host; null where it may not. A name leads to public addresses only, since
 * whoever owns a name decides where it leads: a private address has to be allowed itself. `trusted` are rules for which that does
 * not count.
 */
export async function reachableAddress(
  host: string,
  port: number,
  rules: readonly HostRule[],
  trusted: readonly HostRule[],
  resolve: Resolve = (host) => lookup(host, { all: true }),
): Promise<string | null> {
  const isTrusted = isHostAllowed(trusted, host, port)
  if (!isTrusted && !isHostAllowed(rules, host, port)) return null
  if (isIP(host)) return host
  const found = await resolve(host)
  const isOpen = (address: string): boolean =>
    isTrusted || host === 'localhost' || !isPrivate(address) || isHostAllowed(rules, address, port)
  return found.find(({ address }) => isOpen(address))?.address ?? null
}

function isPrivate(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  const ranges = new BlockList()
  for (const [network, prefix] of privateRanges4) ranges.addSubnet(network, prefix, 'ipv4')
  for (const [network, prefix] of privateRanges6) ranges.addSubnet(network, prefix, 'ipv6')
  return ranges.check(address, family)
}

const privateRanges4 = [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ] as const),
]

const privateRanges6 = [
  ...([
    ['::', 127],
    ['64:ff9b::', 96],
    ['fc00::', 7],
    ['fe80::', 10],
    ['ff00::', 8],
  ] as const),
]
