import type { Column } from '../../src/output/output.ts'
import type { Renderer, Rows } from '../../src/output/renderer.ts'

/** Renders a list; returns the whole output. */
export async function rendered<Row>(renderer: Renderer, rows: Rows<Row>, columns: readonly Column<Row>[]) {
  let text = ''
  for await (const part of renderer.rows(rows, columns)) text += part
  return text
}
