/** About a kilobyte: as long as messages usually are. */
export const words = 'The quick brown fox jumps over the lazy dog. '.repeat(22)
