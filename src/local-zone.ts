/**
 * The time zone of this machine, as an IANA name. Intl loads its data for 20 ms when it is first asked; newer versions of Node
 * know a way that costs nothing.
 */
export const localZone = (): string =>
  globalThis.Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone
