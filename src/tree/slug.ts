const longest = 40

/** A title as a name for directories and branches: small letters, digits and hyphens; "fork" where nothing is left. */
export function slugOf(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.replace(/[^a-z0-9]+/g, '-').slice(0, longest)
  return words.replace(/^-+|-+$/g, '') || 'fork'
}
