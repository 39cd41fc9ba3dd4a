import { existsSync } from 'node:fs'
import type { Context } from '../../cli/command.ts'
import type { Client } from '../../client/client.ts'
import type { Payment } from '../../client/received.ts'
import { hasEnded } from '../../contract/payment_names.ts'
import { CliError } from '../../errors/cli_error.ts'
import { journalFile } from '../../files/directories.ts'

// Loads the journal only for payments that have ended, on a machine that has sent payments.

/** Records in the journal how payments ended. An error of the journal does not fail the command. */
export async function rememberEnds(
  payments: readonly Payment[],
  { client, world }: { readonly client: Client; readonly world: () => string | undefined },
  { stateDir }: Context,
): Promise<void> {
  if (!existsSync(journalFile(stateDir)) || !payments.some(({ status }) => hasEnded(status))) return
  const [{ existingJournal }, { recordEnds }] = await Promise.all([
    import('../../journal/journal.ts'),
    import('../../payments/current_statuses.ts'),
  ])
  try {
    const journal = existingJournal(stateDir)
    try {
      if (journal) recordEnds(payments, { base_url: client.baseUrl, world: world() ?? null }, journal)
    } finally {
      journal?.close()
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
  }
}
