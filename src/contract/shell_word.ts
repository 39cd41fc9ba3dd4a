/**
 * A word for a POSIX shell: in single quotes unless it is plain. The function has a separate file, because every run of
 * the command line loads it.
 */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
