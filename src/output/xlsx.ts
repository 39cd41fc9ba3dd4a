import { printableLines } from '../run/sanitise.ts'
import { localTime } from '../run/time.ts'
import { type WrittenCell, xlsxBytes } from '../sheets/write_xlsx.ts'
import type { Column } from './output.ts'
import { dataOf, localHeading, type Rows } from './renderer.ts'

/**
 * A workbook of one sheet: money as numbers with two decimals, times as local dates with the zone in the heading,
 * everything else as text, so that documents and references keep all digits.
 */
export const xlsx = <Row>(rows: Rows<Row>, columns: readonly Column<Row>[]): Promise<Uint8Array> =>
  xlsxBytes({ name: 'payctl', rows: written(rows, columns) })

async function* written<Row>(
  rows: Rows<Row>,
  columns: readonly Column<Row>[],
): AsyncGenerator<readonly WrittenCell[], void> {
  yield columns.map((column) => ({ text: localHeading(column), kind: 'heading' }))
  for await (const row of rows) yield columns.map((column) => cellOf(column, row))
}

function cellOf<Row>(column: Column<Row>, row: Row): WrittenCell {
  const data = column.data(row)
  if (column.isMoney && data != null) return { text: String(data), kind: 'money' }
  if (column.isTime) return { text: localTime(dataOf(column, row)), kind: 'date' }
  if (typeof data === 'number') return { text: String(data), kind: 'number' }
  if (typeof data === 'boolean') return { text: data ? 'TRUE' : 'FALSE', kind: 'boolean' }
  return { text: printableLines(dataOf(column, row)), kind: 'text' }
}
