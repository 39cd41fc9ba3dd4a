import { printableLines } from '../run/sanitise.ts'
import { localTime, zoneName } from '../run/time.ts'
import { mostRows, tooManyRows, type WrittenCell, xlsxBytes } from '../sheets/write_xlsx.ts'
import type { Column } from './output.ts'
import { dataOf, type Rows } from './renderer.ts'

/**
 * A workbook of one sheet: money as numbers of two decimals, times as local dates whose zone the heading names, everything
 * else as text, so that no digit of a document or a reference is lost.
 */
export async function xlsx<Row>(rows: Rows<Row>, columns: readonly Column<Row>[]): Promise<Uint8Array> {
  const heading = columns.map(({ name, isTime }) => text(isTime ? `${name} (${zoneName()})` : name))
  const written: WrittenCell[][] = [heading]
  for await (const row of rows) {
    if (written.length > mostRows) throw tooManyRows('Nothing was written.', 'Take fewer, or write -o csv')
    written.push(columns.map((column) => cellOf(column, row)))
  }
  return xlsxBytes({ name: 'payctl', rows: written, header: 0 })
}

const text = (content: string): WrittenCell => ({ text: content, kind: 'text' })

function cellOf<Row>(column: Column<Row>, row: Row): WrittenCell {
  const data = column.data(row)
  if (column.isMoney && data != null) return { text: String(data), kind: 'money' }
  if (column.isTime) return { text: localTime(dataOf(column, row)), kind: 'date' }
  if (typeof data === 'number') return { text: String(data), kind: 'number' }
  if (typeof data === 'boolean') return { text: data ? 'TRUE' : 'FALSE', kind: 'boolean' }
  return text(printableLines(dataOf(column, row)))
}
