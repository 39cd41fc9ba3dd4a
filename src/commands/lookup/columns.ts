import type { Lookup, LookupRow } from '../../lookups/lookups.ts'
import { detail, field, iban, status, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

/** Of one holder. */
export const recordColumns = (key: Lookup['key']): readonly Column<LookupRow>[] => [
  key === 'iban' ? iban(key, (row) => row[key]) : field(key, (row) => row[key]),
  words('name', ({ name }) => name),
  field('document_number', (row) => row.document_number),
  field('currency', ({ currency }) => currency),
  detail('country_code', (row) => row.country_code),
  words('entity_name', (row) => row.entity_name),
  status('status', (row) => row.status),
]

/** Of a list, in which values are without a holder. A terminal has no room for the reasons beside the names. */
export const listColumns = (key: Lookup['key']): readonly Column<LookupRow>[] => [
  ...recordColumns(key).map((column) => (column.name === 'name' ? nameOrReason : column)),
  detail('reason', ({ reason }) => reason),
]

const nameOrReason: Column<LookupRow> = {
  ...words<LookupRow>('name', ({ name }) => name),
  text: ({ name, reason }) => name ?? (reason === undefined ? '' : `(${reason})`),
}
