import { CliError } from '../errors/cli_error.ts'
import { quoted } from '../errors/quoted.ts'
import { explainingFaults } from '../files/storage_fault.ts'

/**
 * Runs `work` on the journal at `file`. A journal that can't be used ends the run before a request leaves: a payment
 * that is not written down could not be found again if its answer were lost.
 */
export const refusals = <T>(file: string, work: () => T): T =>
  explainingFaults(
    work,
    ({ message, code }) =>
      new CliError(
        'usage',
        `The payment journal ${file} can't be used: ${message}. Nothing was sent by this run.`,
        hint(code, file),
      ),
  )

function hint(code: string, file: string): string {
  if (code.startsWith('SQLITE_BUSY')) return 'Another payctl process holds it; try again when that one is done'
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return `Look up recent payments with: payctl payments history. Then set the file aside with: mv ${quoted(file)} ${quoted(`${file}.broken`)}`
  return 'Make room for it and let this user write there, or set PAYCTL_STATE_DIR to another directory'
}
