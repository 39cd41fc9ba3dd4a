import { UsageError } from '../errors/cli_error.ts'

/** A file that is no sheet, or one that can't be read without a guess. */
export class SheetError extends UsageError {
  override readonly name: string = 'SheetError'
}

/** What to do about a file that is too large for an .xlsx reader. */
export const tooMuch = 'Save the rows that you need as a file of their own, or as CSV, which payctl reads at any length'
