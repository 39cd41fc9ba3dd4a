import { formatAddress } from '../../contract/iban.ts'
import { detail, field, time, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { Payee } from '../../payees/payee.ts'

export const payeeColumns: readonly Column<Payee>[] = [
  { ...field('name', ({ name }) => name), uncut: true },
  { ...words('holder', ({ holder }) => holder), text: ({ holder }) => holder ?? '(not verified)' },
  {
    ...field('to', ({ iban, phone }) => iban ?? phone),
    text: ({ iban, phone }) => formatAddress(iban ?? phone),
    uncut: true,
  },
  detail('bank', ({ bank }) => bank),
  detail('currency', ({ currency }) => currency),
  { ...words<Payee>('note', ({ note }) => note), dispensable: true },
  { ...field<Payee>('service', ({ service }) => service), dispensable: true },
  { ...time<Payee>('verified_at', (payee) => payee.verified_at), detail: true },
]
