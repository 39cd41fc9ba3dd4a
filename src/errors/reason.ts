/** What was thrown, in its own words. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The same as a clause: without the word that nothing was sent, for when something may have been before. */
export const reasonOf = (error: unknown): string =>
  errorMessage(error)
    .replace(/ Nothing was sent( by this run)?\.$/, '')
    .replace(/\.$/, '')
