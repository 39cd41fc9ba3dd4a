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
  context: Context,
): Promise<void> {
  if (!existsSync(journalFile(context.stateDir)) || !payments.some(({ status }) => hasEnded(status))) return
  const [{ reporterOf }, { existingJournal }, { recordEnds }] = await Promise.all([
    import('../../cli/reporter.ts'),
    import('../../journal/journal.ts'),
    import('../../payments/current_statuses.ts'),
  ])
  try {
    const journal = existingJournal(context.stateDir)
    const of = { base_url: client.baseUrl, world: world() ?? null }
    try {
      if (journal) recordEnds(payments, of, { journal, reporter: reporterOf(context) })
    } finally {
      journal?.close()
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
  }
}
