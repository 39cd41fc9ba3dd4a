import Sqlite from 'better-sqlite3'
import { CliError } from '../errors/cli_error.ts'
import { quoted } from '../errors/quoted.ts'

/**
 * Runs `work` on the journal at `file`. A journal that can't be used ends the run before a request leaves: a payment
 * that is not written down could not be found again if its answer were lost.
 */
export function refusals<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isStorageFault(error)) throw error
    throw new CliError(
      'usage',
      `The payment journal ${file} can't be used: ${error.message}. Nothing was sent by this run.`,
      hint(error.code, file),
    )
  }
}

type StorageFault = Error & { readonly code: string }

const isStorageFault = (error: unknown): error is StorageFault =>
  error instanceof Sqlite.SqliteError || (error instanceof Error && 'syscall' in error && 'code' in error)

function hint(code: string, file: string): string {
  if (code.startsWith('SQLITE_BUSY')) return 'Another payctl process holds it; try again when that one is done'
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return `Look up recent payments with: payctl payments history. Then set the file aside with: mv ${quoted(file)} ${quoted(`${file}.broken`)}`
  return 'Make room for it and let this user write there, or set PAYCTL_STATE_DIR to another directory'
}
