import { UsageError } from '../../errors/cli_error.ts'
import type { Lookup, LookupFlags } from './lookup.ts'

export interface LookupRequest extends Lookup, LookupFlags {
  /** Arguments, as given. */
  readonly texts: readonly string[]
}

export const missing = (noun: string, example: string): UsageError =>
  new UsageError(`missing required argument '${noun}'.`, `Add it, like ${example}, or read many with --file or -`)
