import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { readSheet, type SheetOptions } from '../../src/sheets/read_sheet.ts'
import type { Sheet, SheetRow } from '../../src/sheets/sheet.ts'

export const sheetFile = (name: string): string => fileURLToPath(new URL(`files/${name}`, import.meta.url))

export type ReadSheet = Omit<Sheet, 'rows'> & { readonly rows: readonly SheetRow[] }

/** A whole sheet. */
async function whole(bytes: AsyncIterable<Uint8Array>, options?: SheetOptions): Promise<ReadSheet> {
  const sheet = await readSheet(bytes, options)
  const rows: SheetRow[] = []
  for await (const row of sheet.rows) rows.push(row)
  return { ...sheet, rows }
}

/** A file of test/sheets/files. */
export const readFile = (name: string, options?: SheetOptions): Promise<ReadSheet> =>
  whole(createReadStream(sheetFile(name)), options)

/** Bytes in small pieces, as from a slow disk. */
export function readBytes(content: Uint8Array | string, options?: SheetOptions, size = 3): Promise<ReadSheet> {
  const bytes = Buffer.from(content)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )
  return whole(Readable.from(chunks), options)
}
