import type { MoneyOutcome } from '../values/money_outcome.ts'

export type Language = 'es' | 'en'

/** Texts of a receipt in one language. */
export interface Words {
  /** Locale for `Intl`. */
  readonly locale: string
  readonly titles: { readonly paid: string; readonly received: string; readonly open: string }
  readonly verdicts: { readonly completed: string; readonly received: string; readonly pending: string }
  readonly notPaid: (why: string) => string
  /** Sentences about the money of a payment that has not arrived, by outcome. */
  readonly money: Readonly<Record<MoneyOutcome, string>>
  readonly unknown: (status: string) => string
  readonly noProof: string
  readonly emulator: string
  readonly currencies: Readonly<Record<string, string>>
  readonly channels: Readonly<Record<string, string>>
  readonly headings: { readonly parties: string; readonly payment: string; readonly references: string }
  readonly labels: Readonly<Record<Label, string>>
  readonly fee: { readonly unknown: string }
  readonly source: (service: string, time: string) => string
}

export type Label =
  | 'payer'
  | 'payerAccount'
  | 'payee'
  | 'payeeAccount'
  | 'payeePhone'
  | 'amount'
  | 'fee'
  | 'channel'
  | 'description'
  | 'created'
  | 'submitted'
  | 'completed'
  | 'sinpeReference'
  | 'channelReference'
  | 'id'

const es: Words = {
  locale: 'es-CR',
  titles: { paid: 'Comprobante de pago', received: 'Comprobante de pago recibido', open: 'Estado de un pago' },
  verdicts: {
    completed: 'Pagado: el dinero llegó a quien lo recibe.',
    received: 'Recibido: el dinero llegó a la cuenta.',
    pending: 'En camino: el dinero todavía no ha llegado.',
  },
  notPaid: (why) => `No pagado: el dinero no llegó${why === '' ? '' : ` (${why})`}.`,
  money: {
    nothing_taken: 'No se debitó nada.',
    back: 'El dinero está de vuelta en la cuenta de origen.',
    not_missing: 'No se debitó nada, o el dinero está de vuelta en la cuenta de origen.',
    held: 'El monto está retenido en la cuenta de origen.',
    not_known: 'No se sabe si el monto se debitó: lo dice el saldo de la cuenta de origen.',
  },
  unknown: (status) => `Estado desconocido${status === '' ? '' : `: ${status}`}.`,
  noProof: 'Esto no es un comprobante de pago.',
  emulator: 'EMULADOR: sin dinero real. Esto no es un comprobante de pago.',
  currencies: { CRC: 'colones', USD: 'dólares estadounidenses' },
  channels: { pin: 'PIN (transferencia a una cuenta IBAN)', sinpe_movil: 'SINPE Móvil' },
  headings: { parties: 'Quién paga y quién recibe', payment: 'El pago', references: 'Referencias' },
  labels: {
    payer: 'Paga',
    payerAccount: 'Cuenta de origen',
    payee: 'Recibe',
    payeeAccount: 'Cuenta de destino',
    payeePhone: 'Teléfono de destino',
    amount: 'Monto',
    fee: 'Comisión para quien paga',
    channel: 'Canal',
    description: 'Detalle',
    created: 'Solicitado',
    submitted: 'Enviado al canal',
    completed: 'Acreditado',
    sinpeReference: 'Referencia SINPE',
    channelReference: 'Referencia del canal',
    id: 'Número del pago',
  },
  fee: { unknown: 'todavía no se conoce' },
  source: (service, time) => `Hecho con payctl el ${time}, según lo que respondió ${service}. Sin firma digital.`,
}

const en: Words = {
  locale: 'en-GB',
  titles: { paid: 'Proof of payment', received: 'Proof of money received', open: 'State of a payment' },
  verdicts: {
    completed: 'Paid: the money has reached the payee.',
    received: 'Received: the money has arrived in the account.',
    pending: 'On its way: the money has not arrived yet.',
  },
  notPaid: (why) => `Not paid: the money did not arrive${why === '' ? '' : ` (${why})`}.`,
  money: {
    nothing_taken: 'Nothing was taken.',
    back: 'The money is back in the account of the payer.',
    not_missing: 'Nothing was taken, or the money is back in the account of the payer.',
    held: 'The amount is held in the account of the payer.',
    not_known: 'It is not known whether the amount was taken: the balance of the payer’s account shows it.',
  },
  unknown: (status) => `The state of the payment is not known${status === '' ? '' : `: ${status}`}.`,
  noProof: 'This is not a proof of payment.',
  emulator: 'EMULATOR: no real money. This is not a proof of payment.',
  currencies: { CRC: 'Costa Rican colones', USD: 'US dollars' },
  channels: { pin: 'PIN (transfer to an IBAN)', sinpe_movil: 'SINPE Móvil' },
  headings: { parties: 'Payer and payee', payment: 'The payment', references: 'References' },
  labels: {
    payer: 'Payer',
    payerAccount: 'From account',
    payee: 'Payee',
    payeeAccount: 'To account',
    payeePhone: 'To phone',
    amount: 'Amount',
    fee: 'Fee, charged to the payer',
    channel: 'Channel',
    description: 'Description',
    created: 'Requested',
    submitted: 'Handed to the channel',
    completed: 'Credited',
    sinpeReference: 'SINPE reference',
    channelReference: 'Channel reference',
    id: 'Payment number',
  },
  fee: { unknown: 'not known yet' },
  source: (service, time) => `Made with payctl on ${time}, from the answer of ${service}. Not signed.`,
}

export const wordsIn: Readonly<Record<Language, Words>> = { es, en }
