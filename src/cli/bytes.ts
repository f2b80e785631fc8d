const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** A size as a person reads it. */
export function bytesWord(bytes: number): string {
  const power = Math.min(bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
