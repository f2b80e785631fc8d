/** Object directories as git takes them in GIT_ALTERNATE_OBJECT_DIRECTORIES: read, never written. */
export const alternates = (...directories: readonly string[]): string =>
  directories.map((directory) => `"${directory.replace(/["\\]/g, '\\$&')}"`).join(':')
