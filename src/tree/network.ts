/** A host that programs in a sandbox may reach: exactly that name or address, or with `*.` before it all below the name. */
export interface HostRule {
  readonly host: string
  /** Absent: those of the web, 80 and 443. */
  readonly port?: number
}

/** `shared`: all that the machine reaches. Otherwise only these hosts, by a proxy. */
export type NetworkAccess = 'shared' | readonly HostRule[]

/** What `sandbox.network` says: `on`, `off`, or hosts with commas between them; null where it says something else. */
export function networkAccessIn(text: string): NetworkAccess | null {
  if (text === 'on') return 'shared'
  if (text === 'off') return []
  const rules = text.split(',').map((each) => hostRuleIn(each.trim().toLowerCase()))
  return rules.every((rule) => rule !== null) ? rules : null
}

function hostRuleIn(text: string): HostRule | null {
  const [, host = '', port] =
    /^((?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/.exec(text) ?? []
  if (host === '' || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null
  const bare = host.replace(/^\[|\]$/g, '')
  return port === undefined ? { host: bare } : { host: bare, port: Number(port) }
}

/** Whether one of the rules names the host and the port. A name in `*.name` is not below itself. */
export const isHostAllowed = (rules: readonly HostRule[], host: string, port: number): boolean =>
  rules.some((rule) => {
    const isNamed = rule.host.startsWith('*.') ? host.endsWith(rule.host.slice(1)) : host === rule.host
    return isNamed && (rule.port === undefined ? port === 80 || port === 443 : port === rule.port)
  })

/** What `bough relay` is told, in a variable: it runs in the sandbox and starts the program there. */
export interface RelayTask {
  /** The socket of the proxy outside. */
  readonly socket: string
  /** The port on which the proxy is found inside. */
  readonly port: number
  /** Servers on the machine's loopback that are found on the sandbox's under the same host and port. */
  readonly local: readonly Required<HostRule>[]
  readonly command: string
  readonly args: readonly string[]
}
