import CliTable from 'cli-table3'
import { gap, type TableLayout } from './table_layout.ts'

const noBorders = {
  top: '',
  'top-left': '',
  'top-mid': '',
  'top-right': '',
  left: '',
  middle: ' '.repeat(gap),
  right: '',
  mid: '',
  'left-mid': '',
  'mid-mid': '',
  'right-mid': '',
  bottom: '',
  'bottom-left': '',
  'bottom-mid': '',
  'bottom-right': '',
} satisfies CliTable.TableConstructorOptions['chars']

/**
 * Mark that cli-table3 puts where it cuts a text. The mark never appears, because payctl has cut all cells before. For
 * an unused debug message, cli-table3 also cuts each text to a width of 10, one character at a time, which takes
 * seconds for a text with many accents. A mark of that width prevents the cutting.
 */
const neverShown = ' '.repeat(10)

/**
 * Number of lines in one row of cli-table3. cli-table3 prepares a cell in 8 µs, whatever its height, and measures the
 * whole cell for each line that it draws. So rows of 8 lines take a third of the time of rows of one line or of a
 * hundred lines.
 */
const linesOfRow = 8

/**
 * Lines of cells side by side, each cell padded to the width of its column. The caller must have cut the cells to that
 * width.
 */
export function drawTable<Row>(
  lines: readonly (readonly string[])[],
  layout: Pick<TableLayout<Row>, 'columns' | 'widths'>,
): readonly string[] {
  const { columns, widths } = layout
  const table = new CliTable({
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    truncate: neverShown,
    colWidths: [...widths],
    colAligns: columns.map(({ align }) => align ?? 'left'),
  })
  for (let start = 0; start < lines.length; start += linesOfRow) {
    const group = lines.slice(start, start + linesOfRow)
    table.push(columns.map((_, at) => group.map((cells) => cells[at] ?? '').join('\n')))
  }
  const drawn = table.toString().split('\n')
  return drawn.map((line) => line.trimEnd())
}
