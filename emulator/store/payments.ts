import type { Channel } from '../../src/contract/index.ts'
import type { Slice } from '../domain/paginator.ts'
import type { Party, Payment } from '../domain/payment.ts'
import { numbersAfter, type Statements } from './database.ts'
import { type HistoryFilter, historyIn, type Window } from './history.ts'
import { paymentLookupsIn } from './payment_lookups.ts'
import { type PaymentSearch, paymentSearchIn } from './payment_search.ts'

type Side<Name extends string> = { readonly [K in keyof Party as `${Name}_${K}`]: Party[K] }

/** A row of `payments`, which has columns instead of the two parties. */
type Row = Omit<Payment, 'payer' | 'payee'> & Side<'payer'> & Side<'payee'>

/** Columns of a row, in the order of `valuesOf`. */
const columns = `seq, id, user, account, idempotency_key, channel, transfer_type, status, initial_status,
  amount, fee, currency, channel_reference, sinpe_reference,
  payer_iban, payer_phone, payer_document_number, payer_document_type, payer_name,
  payee_iban, payee_phone, payee_document_number, payee_document_type, payee_name, payee_account,
  description, error_message, outcome, state_code, failure_text,
  settle_ms, due_at, created_at, submitted_at, completed_at`

function valuesOf(payment: Payment): unknown[] {
  const { payer, payee } = payment
  return [
    payment.seq,
    payment.id,
    payment.user,
    payment.account,
    payment.idempotency_key,
    payment.channel,
    payment.transfer_type,
    payment.status,
    payment.initial_status,
    payment.amount,
    payment.fee,
    payment.currency,
    payment.channel_reference,
    payment.sinpe_reference,
    payer.iban,
    payer.phone,
    payer.document_number,
    payer.document_type,
    payer.name,
    payee.iban,
    payee.phone,
    payee.document_number,
    payee.document_type,
    payee.name,
    payment.payee_account,
    payment.description,
    payment.error_message,
    payment.outcome,
    payment.state_code,
    payment.failure_text,
    payment.settle_ms,
    payment.due_at,
    payment.created_at,
    payment.submitted_at,
    payment.completed_at,
  ]
}

function paymentOf(row: Row): Payment {
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

/** A payment that has not ended. */
type Unfinished = Pick<Payment, 'id' | 'status' | 'amount' | 'currency'>

export type Payments = ReturnType<typeof paymentsIn>

export function paymentsIn(db: Statements) {
  const select = `SELECT ${columns} FROM payments`
  const byId = db.prepare<[string], Row>(`${select} WHERE id = ?`)
  const withKey = "user = ? AND idempotency_key = ? AND transfer_type = 'debit' AND key_forgotten = 0"
  const byKey = db.prepare<[number, string, number], Row>(`${select} WHERE ${withKey} AND created_at >= ?`)
  const forgetKey = db.prepare<[number, string]>(`UPDATE payments SET key_forgotten = 1 WHERE ${withKey}`)
  const forgotten = db.prepare<[], number>('SELECT seq FROM payments WHERE key_forgotten = 1').pluck()
  const all = db.prepare<[], Row>(`${select} ORDER BY seq`)
  const insert = db.prepare(
    `INSERT INTO payments (${columns}, key_forgotten, position, kind_position, payee_position)
     VALUES (${columns.replace(/\w+/g, '?')}, ?, ?, ?, ?)`,
  )
  const update = db.prepare(
    `UPDATE payments SET status = ?, state_code = ?, sinpe_reference = ?, error_message = ?, due_at = ?, submitted_at = ?,
       completed_at = ? WHERE seq = ?`,
  )
  const redirect = db.prepare(
    'UPDATE payments SET outcome = ?, state_code = ?, failure_text = ?, settle_ms = ?, due_at = ? WHERE seq = ?',
  )
  const hang = db.prepare<[number]>('UPDATE payments SET due_at = NULL WHERE seq = ?')
  const hung = `channel = ? AND due_at IS NULL AND status IN ('pending', 'processing')
    AND NOT (status = 'processing' AND outcome = 'processing')`
  const hangs = db.prepare<[Channel], number>(`SELECT 1 FROM payments WHERE ${hung} LIMIT 1`).pluck()
  const resumeHung = db.prepare<[number, Channel]>(`UPDATE payments SET due_at = ? WHERE ${hung}`)
  const returnOf = db.prepare<[number], Row>(`${select} WHERE seq = (SELECT credit FROM returns WHERE payment = ?)`)
  const returns = db.prepare<[], number>('SELECT count(*) FROM returns').pluck()
  const addReturn = db.prepare<[number, number]>('INSERT INTO returns (payment, credit) VALUES (?, ?)')
  const withGivenReference = db
    .prepare<[string], number>(
      `SELECT 1 FROM payments
       WHERE sinpe_reference = ? AND transfer_type = 'credit' AND substr(sinpe_reference, 9, 3) <> '999'`,
    )
    .pluck()
  const due = db.prepare<[number, number], Row>(`${select} WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?`)
  const nextDue = db.prepare<[], number | null>('SELECT min(due_at) FROM payments WHERE due_at IS NOT NULL').pluck()
  const dueOver = db.prepare<[number, Channel, number], Row>(
    `${select} WHERE due_at <= ? AND channel = ? ORDER BY due_at, seq LIMIT ?`,
  )
  const nextDueOver = db
    .prepare<[Channel], number>(
      'SELECT due_at FROM payments WHERE due_at IS NOT NULL AND channel = ? ORDER BY due_at LIMIT 1',
    )
    .pluck()
  const sent = db
    .prepare<[number, number, number], number>(
      `SELECT coalesce(sum(amount), 0) FROM payments
       WHERE account = ? AND created_at >= ? AND created_at < ? AND channel = 'sinpe_movil' AND transfer_type = 'debit'
         AND status IN ('pending', 'processing', 'completed')
         AND NOT (outcome = 'failed' AND state_code IS 'limit_exceeded')`,
    )
    .pluck()
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM payments').pluck()
  const count = db.prepare<[], number>('SELECT count(*) FROM payments').pluck()
  const unfinished = db
    .prepare<[], number>(`SELECT count(*) FROM payments WHERE status IN ('pending', 'processing')`)
    .pluck()
  const leftUnfinished = db.prepare<[number, number], Unfinished & { count: number }>(
    `SELECT id, status, amount, currency, count(*) OVER () AS count FROM payments
     WHERE seq >= ? AND status IN ('pending', 'processing') LIMIT ?`,
  )
  const since = db.prepare<[number], Row>(`${select} WHERE seq >= ? ORDER BY seq`)
  /** Seq of the first payment that was added since the database was opened. */
  let first: number | undefined
  const history = historyIn<Row>(db, select)
  const search = paymentSearchIn<Row>(db, select)
  const lookups = paymentLookupsIn<Row>(db, select)
  const nextSeq = numbersAfter(() => lastSeq.get())

  return {
    /** Returns a number that no payment has had. The numbers can have gaps. */
    nextSeq,
    get: (id: string): Payment | undefined => fromRow(byId.get(id)),
    /** The payment that the user made with this key since a time. Does not find credits, which have generated keys. */
    byKey: (user: number, key: string, since: number): Payment | undefined => fromRow(byKey.get(user, key, since)),
    /** Lets the user reuse this key for another payment. */
    forgetKey(user: number, key: string): void {
      forgetKey.run(user, key)
    },
    /** Seqs of the payments whose keys were forgotten. */
    withForgottenKey: (): ReadonlySet<number> => new Set(forgotten.all()),
    /** Adds a payment; `keyForgotten`: another payment may have the same key. */
    add(payment: Payment, keyForgotten = false): void {
      first ??= payment.seq
      insert.run(...valuesOf(payment), keyForgotten ? 1 : 0, ...history.nextPositions(payment))
    },
    /** Saves the columns that a step changes. */
    save(payment: Payment): void {
      const { seq, status, state_code, sinpe_reference, error_message, due_at, submitted_at, completed_at } = payment
      update.run(status, state_code, sinpe_reference, error_message, due_at, submitted_at, completed_at, seq)
    },
    /** Saves the outcome of a payment, and when it ends. */
    redirect({ seq, outcome, state_code, failure_text, settle_ms, due_at }: Payment): void {
      redirect.run(outcome, state_code, failure_text, settle_ms, due_at, seq)
    },
    /** Suspends a payment's next step until `resumeHung`. */
    hang({ seq }: Payment): void {
      hang.run(seq)
    },
    /** True if any payment hangs on a rail. */
    hangs: (channel: Channel): boolean => hangs.get(channel) !== undefined,
    /** Makes the next step due for all payments that hang on a rail. */
    resumeHung(channel: Channel, at: number): void {
      resumeHung.run(at, channel)
    },
    /** True if a credit has this SINPE reference, and the reference was given, not generated. */
    hasGivenReference: (reference: string): boolean => withGivenReference.get(reference) !== undefined,
    /** The credit that returned a payment; undefined if the payment was not returned. */
    returnOf: ({ seq }: Payment): Payment | undefined => fromRow(returnOf.get(seq)),
    /** Number of payments that were returned. */
    returns: (): number => returns.get() ?? 0,
    /** Links a payment to the credit that returns it. Throws if the payment was already returned. */
    addReturn(payment: Payment, credit: Payment): void {
      addReturn.run(payment.seq, credit.seq)
    },
    /** Payments with a step due at `now`, longest overdue first; `rail`: only payments over this rail. */
    due: (now: number, limit: number, rail?: Channel): Payment[] =>
      (rail ? dueOver.all(now, rail, limit) : due.all(now, limit)).map(paymentOf),
    /** Payments of all users, by number. */
    all: (): Payment[] => all.all().map(paymentOf),
    /** Payments of all users made since the database was opened, by number. */
    madeHere: (): Payment[] => (first === undefined ? [] : since.all(first).map(paymentOf)),
    nextDue: (rail?: Channel): number | null => (rail ? nextDueOver.get(rail) : nextDue.get()) ?? null,
    unfinished: (): number => unfinished.get() ?? 0,
    /** Payments made since the database was opened that have not ended: their number, and the first `limit` of them. */
    leftUnfinished(limit: number): { count: number; first: Unfinished[] } {
      const rows = first === undefined ? [] : leftUnfinished.all(first, limit)
      return { count: rows[0]?.count ?? 0, first: rows.map(({ count, ...payment }) => payment) }
    },
    /**
     * Minor units sent by SINPE Móvil from an account in a span of time. Leaves out payments that failed, or that will
     * fail because of a limit.
     */
    sentOverMovil: (account: number, { from, to }: { from: number; to: number }): number =>
      sent.get(account, from, to) ?? 0,
    count: (): number => count.get() ?? 0,
    /** Call after a rollback. */
    afterRollback: (): void => history.forgetPositions(),
    /** The payments of all users that were made with this key, unless the key was forgotten. */
    withKey: (key: string): Payment[] => lookups.withKey(key).map(paymentOf),
    /** Payments with this channel reference or SINPE reference, and the receiver's record of each. */
    withReference: (reference: string): Payment[] => lookups.withReference(reference).map(paymentOf),
    /** The newest payments to this holder at this address. */
    to: (address: string, holder: { readonly document_number: string }, limit: number): Payment[] =>
      lookups.to(address, holder.document_number, limit).map(paymentOf),
    withEvent: (event: number): Payment | undefined => fromRow(lookups.withEvent(event)),
    /** A slice of the payments of all users, newest first. */
    search(conditions: PaymentSearch, window: Window): Slice<Payment> {
      const { items, total } = search(conditions, window)
      return { items: items.map(paymentOf), total }
    },
    /** A slice of a user's payments, newest first. */
    history(user: number, filter: HistoryFilter, window: Window): Slice<Payment> {
      const { items, total } = history.slice(user, filter, window)
      return { items: items.map(paymentOf), total }
    },
  }
}

const fromRow = (row: Row | undefined): Payment | undefined => row && paymentOf(row)
