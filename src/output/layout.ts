import type { Format } from '../run/invocation.ts'
import type { Column, Columns, Layout } from './output.ts'

/** The parts of a layout that one format shows. */
export interface Shown<Row> extends Pick<Layout<Row>, 'group' | 'below' | 'card'> {
  readonly columns: readonly Column<Row>[]
}

interface Purpose {
  readonly format: Format
  /** True for one record, which has room for everything. */
  readonly isRecord?: boolean
}

/** The columns of a layout for a format. */
export function columnsFor<Row>(given: Columns<Row>, { format, isRecord }: Purpose): Shown<Row> {
  const layout = isLayout(given) ? given : { columns: given }
  const { columns, table, wide = columns, card } = layout
  if (format === 'wide') return { columns: wide }
  if (isRecord) return { columns, ...(card && { card }) }
  if (format !== 'table') return { columns }
  return { ...layout, columns: (table ?? columns).filter(({ detail }) => !detail) }
}

const isLayout = <Row>(given: Columns<Row>): given is Layout<Row> => !Array.isArray(given)
