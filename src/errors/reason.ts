/** Why something failed, as a clause: without the word that nothing was sent, for when something may have been before. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/ Nothing was sent( by this run)?\.$/, '')
    .replace(/\.$/, '')
