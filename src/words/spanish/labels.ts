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
  'idempotency key': 'clave de idempotencia',
  id: 'id',
  description: 'detalle',
  reference: 'referencia',
} as const satisfies Catalogue
