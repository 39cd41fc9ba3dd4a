import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Payment } from '../../client/received.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { makeFolder } from '../../files/directories.ts'
import { fileFault } from '../../files/file_fault.ts'
import { isStream, replaceContent } from '../../files/private_file.ts'
import { receiptPage } from '../../receipts/forms.ts'
import { receiptOf } from '../../receipts/receipt.ts'
import { plainLetters } from '../../values/text.ts'
import { say } from '../../words/text.ts'

/** Writes a file that only its owner can read, because the file names people. Throws UsageError. */
export async function writePage(file: string, page: string, force: boolean): Promise<void> {
  try {
    if (!force && !isStream(file)) return await writeFile(file, page, { flag: 'wx', mode: 0o600 })
    replaceContent(file, page)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existing(file)
    throw new UsageError(say`${file} can't be written: ${fileFault(error)}.`, 'Name a file that can be written.')
  }
}

const existing = (file: string): UsageError =>
  new UsageError(say`File ${file} already exists. It was left unchanged.`, 'Name another, or add --force')

/** A paid row of a batch. */
export interface PaidRow {
  readonly line: number | null
  readonly payment: Payment
}

interface ReceiptSettings extends Omit<Parameters<typeof receiptOf>[0], 'payment' | 'now'> {
  readonly folder: string
  readonly force: boolean
}

/**
 * Creates a folder, and writes a page for each paid row into the folder: `0002-carlos-jimenez-mora-88f6b.html`. Throws
 * UsageError before the first page is written if a file already exists, unless `force` is set.
 */
export async function writeReceipts(rows: readonly PaidRow[], settings: ReceiptSettings): Promise<void> {
  const { folder, force, ...facts } = settings
  const files = rows.map((row) => ({ file: join(folder, nameOf(row)), payment: row.payment }))
  const taken = force ? undefined : files.find(({ file }) => existsSync(file))
  if (taken) throw existing(taken.file)
  try {
    makeFolder(folder)
  } catch (error) {
    throw new UsageError(say`The folder ${folder} can't be made: ${fileFault(error)}.`, 'Name another one')
  }
  for (const { file, payment } of files) {
    await writePage(file, receiptPage(receiptOf({ ...facts, payment, now: new Date() })), force)
  }
}

/** Maximum length, in characters, of a payee's name in the name of a file. */
const longestName = 40

function nameOf({ line, payment: { id, payee } }: PaidRow): string {
  const name = plainLetters(payee.name ?? '').replace(/[^a-z0-9]+/g, '-')
  const parts = [String(line ?? 0).padStart(4, '0'), name.slice(0, longestName).replace(/^-|-$/g, ''), id?.slice(-5)]
  return `${parts.filter(Boolean).join('-')}.html`
}
