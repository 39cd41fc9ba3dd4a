import type { Database } from 'better-sqlite3'
import type { Slice } from '../domain/paginator.ts'
import type { Party, Payment } from '../domain/payment.ts'
import { type HistoryFilter, historyIn, type Window } from './history.ts'

type Side<Name extends string> = { readonly [K in keyof Party as `${Name}_${K}`]: Party[K] }

/** A row of `payments`: the two parties laid out in columns. */
export type Row = Omit<Payment, 'payer' | 'payee'> & Side<'payer'> & Side<'payee'>

/** The columns, and where in a payment their values are. */
const columns: { readonly [Column in keyof Row]: (payment: Payment) => Row[Column] } = {
  seq: (payment) => payment.seq,
  id: (payment) => payment.id,
  user: (payment) => payment.user,
  account: (payment) => payment.account,
  idempotency_key: (payment) => payment.idempotency_key,
  channel: (payment) => payment.channel,
  transfer_type: (payment) => payment.transfer_type,
  status: (payment) => payment.status,
  initial_status: (payment) => payment.initial_status,
  amount: (payment) => payment.amount,
  fee: (payment) => payment.fee,
  currency: (payment) => payment.currency,
  channel_reference: (payment) => payment.channel_reference,
  sinpe_reference: (payment) => payment.sinpe_reference,
  payer_iban: ({ payer }) => payer.iban,
  payer_phone: ({ payer }) => payer.phone,
  payer_document_number: ({ payer }) => payer.document_number,
  payer_document_type: ({ payer }) => payer.document_type,
  payer_name: ({ payer }) => payer.name,
  payee_iban: ({ payee }) => payee.iban,
  payee_phone: ({ payee }) => payee.phone,
  payee_document_number: ({ payee }) => payee.document_number,
  payee_document_type: ({ payee }) => payee.document_type,
  payee_name: ({ payee }) => payee.name,
  payee_account: (payment) => payment.payee_account,
  description: (payment) => payment.description,
  error_message: (payment) => payment.error_message,
  outcome: (payment) => payment.outcome,
  state_code: (payment) => payment.state_code,
  settle_ms: (payment) => payment.settle_ms,
  due_at: (payment) => payment.due_at,
  created_at: (payment) => payment.created_at,
  submitted_at: (payment) => payment.submitted_at,
  completed_at: (payment) => payment.completed_at,
}

const names = Object.keys(columns)
const values = Object.values(columns)

export type Payments = ReturnType<typeof paymentsIn>

export function paymentsIn(db: Database) {
  const select = `SELECT ${names.join(', ')} FROM payments`
  const byId = db.prepare<[string], Row>(`${select} WHERE id = ?`)
  const byKey = db.prepare<[number, string], Row>(`${select} WHERE user = ? AND idempotency_key = ?`)
  const insert = db.prepare(
    `INSERT INTO payments (${names.join(', ')}, position, kind_position, payee_position)
     VALUES (${names.map(() => '?').join(', ')}, ?, ?, ?)`,
  )
  const update = db.prepare(
    `UPDATE payments SET status = ?, state_code = ?, sinpe_reference = ?, error_message = ?, due_at = ?, submitted_at = ?,
       completed_at = ? WHERE seq = ?`,
  )
  const due = db.prepare<[number, number], Row>(`${select} WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?`)
  const nextDue = db.prepare<[], number | null>('SELECT min(due_at) FROM payments WHERE due_at IS NOT NULL')
  nextDue.pluck()
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM payments')
  lastSeq.pluck()
  const unfinished = db.prepare<[], number>(`SELECT count(*) FROM payments WHERE status IN ('pending', 'processing')`)
  unfinished.pluck()
  const history = historyIn(db, select)
  let seq = lastSeq.get() ?? 0

  return {
    /** A number no payment has had: gaps are possible, repeats are not. */
    nextSeq: (): number => ++seq,
    get: (id: string): Payment | undefined => fromRow(byId.get(id)),
    byKey: (user: number, key: string): Payment | undefined => fromRow(byKey.get(user, key)),
    add(payment: Payment): void {
      insert.run(...values.map((valueIn) => valueIn(payment)), ...history.nextPositions(payment))
    },
    /** Saves what a step of its life changed. */
    save(payment: Payment): void {
      const { seq, status, state_code, sinpe_reference, error_message, due_at, submitted_at, completed_at } = payment
      update.run(status, state_code, sinpe_reference, error_message, due_at, submitted_at, completed_at, seq)
    },
    /** Payments with a step due at `now`, the longest overdue first. */
    due: (now: number, limit: number): Payment[] => due.all(now, limit).map(payment),
    nextDue: (): number | null => nextDue.get() ?? null,
    unfinished: (): number => unfinished.get() ?? 0,
    count: (): number => lastSeq.get() ?? 0,
    /** To be called when what was written is undone. */
    undone: (): void => history.forgetPositions(),
    /** A slice of a user's payments, newest first. */
    history(user: number, filter: HistoryFilter, window: Window): Slice<Payment> {
      const { items, total } = history.slice(user, filter, window)
      return { items: items.map(payment), total }
    },
  }
}

const fromRow = (row: Row | undefined): Payment | undefined => row && payment(row)

function payment(row: Row): Payment {
  return {
    ...row,
    payer: {
      iban: row.payer_iban,
      phone: row.payer_phone,
      document_number: row.payer_document_number,
      document_type: row.payer_document_type,
      name: row.payer_name,
    },
    payee: {
      iban: row.payee_iban,
      phone: row.payee_phone,
      document_number: row.payee_document_number,
      document_type: row.payee_document_type,
      name: row.payee_name,
    },
  }
}
