/**
 * A word for a POSIX shell: in single quotes unless it is plain. A file by itself, because each run of the command line
 * loads it.
 */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
