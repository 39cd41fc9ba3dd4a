import Sqlite from 'better-sqlite3'

// Separate from file_fault.ts, which most commands load, because this file loads SQLite.

/** An error from SQLite or the file system. */
export type StorageFault = Error & { readonly code: string }

/** Runs `work`. Replaces an error from SQLite or the file system with the error that `inWords` returns for it. */
export function explainingFaults<T>(work: () => T, inWords: (fault: StorageFault) => Error): T {
  try {
    return work()
  } catch (error) {
    throw isStorageFault(error) ? inWords(error) : error
  }
}

const isStorageFault = (error: unknown): error is StorageFault =>
  error instanceof Sqlite.SqliteError || (error instanceof Error && 'syscall' in error && 'code' in error)
