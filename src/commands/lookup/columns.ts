import { detail, field, iban, status, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { Lookup, Row } from './lookup.ts'

/** Of one holder. */
export const recordColumns = (key: Lookup['key']): readonly Column<Row>[] => [
  key === 'iban' ? iban(key, (row) => row[key]) : field(key, (row) => row[key]),
  words('name', ({ name }) => name),
  field('document_number', (row) => row.document_number),
  field('currency', ({ currency }) => currency),
  detail('country_code', (row) => row.country_code),
  words('entity_name', (row) => row.entity_name),
  status('status', (row) => row.status),
]

/** Of a list, in which values are without a holder. A terminal has no room for the reasons beside the names. */
export const listColumns = (key: Lookup['key']): readonly Column<Row>[] => [
  ...recordColumns(key).map((column) => (column.name === 'name' ? nameOrReason : column)),
  detail('reason', ({ reason }) => reason),
]

const nameOrReason: Column<Row> = {
  ...words<Row>('name', ({ name }) => name),
  text: ({ name, reason }) => name ?? (reason === undefined ? '' : `(${reason})`),
}
