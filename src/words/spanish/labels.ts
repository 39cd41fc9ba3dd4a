import type { Catalogue } from '../text.ts'

/** Labels of cards, headings of tables, and words of a row. CSV and JSON keep the English names. */
export const labels = {
  Description: 'Detalle',
  Reason: 'Motivo',
  Money: 'Dinero',
  Sent: 'Enviado',
  Reference: 'Referencia',
  'Channel ref': 'Ref. del canal',
  Id: 'Id',
  Key: 'Clave',
  '{}, completed {}': '{}, acreditado {}',
  'Left out: {}. Wider terminal, or -o wide': 'Sin mostrar: {}. Amplíe la terminal, o use -o wide',
  amount: 'monto',
  currency: 'moneda',
  fee: 'comisión',
  channel: 'canal',
  'payee or payer': 'recibe o paga',
  rail: 'canal',
  time: 'fecha y hora',
  status: 'estado',
  recipient: 'destinatario',
  'channel reference': 'referencia del canal',
  'idempotency key': 'clave',
  id: 'id',
  description: 'detalle',
  reference: 'referencia',

  // Days above the rows of a list
  TODAY: 'HOY',
  YESTERDAY: 'AYER',
} as const satisfies Catalogue

/** Date headings in lists, for months that Spanish abbreviates differently: `19 DEC 2025` is `19 DIC 2025`. */
export const dayPatterns: readonly (readonly [english: RegExp, spanish: string])[] = [
  [/^(\d+) JAN( \d{4})?$/, '$1 ENE$2'],
  [/^(\d+) APR( \d{4})?$/, '$1 ABR$2'],
  [/^(\d+) AUG( \d{4})?$/, '$1 AGO$2'],
  [/^(\d+) SEP( \d{4})?$/, '$1 SET$2'],
  [/^(\d+) DEC( \d{4})?$/, '$1 DIC$2'],
]
