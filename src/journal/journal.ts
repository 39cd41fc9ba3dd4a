import { existsSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { namedCurrency } from '../contract/money.ts'
import { journalFile } from '../files/directories.ts'
import { type Attempt, Attempts } from './attempts.ts'
import { Batches, type BatchFilter, type BatchPart, type BatchSource } from './batches.ts'
import { CountedPayments, type Gate } from './counted_payments.ts'
import { closedJournal, memoryDatabase, openDatabase, refusingFaults, requireFolder } from './database.ts'
import {
  type Intent,
  type IntentFilter,
  type IntentStatus,
  isInDoubt,
  type MadePayment,
  mayHavePaid,
  type NewIntent,
  newIntentId,
  type Principal,
} from './intent.ts'
import { countOf, type IntentRow, intentOf, parsed, prepareStatements, rowOf, rowsOf } from './statements.ts'

/** Opens the journal of payment intents in a folder. Creates what is missing, readable only by its owner. */
export const openJournal = (directory: string): Journal => Journal.open(requireFolder(directory))

/** Opens the journal in `directory`, if it exists. Creates nothing. */
export const existingJournal = (directory: string): Journal | undefined =>
  existsSync(journalFile(directory)) ? openJournal(directory) : undefined

/** Opens the journal in `directory`, or an empty journal that is not on disk. Creates nothing. */
export const journalToRead = (directory: string): Journal => existingJournal(directory) ?? Journal.empty()

/**
 * Payment intents on disk. Writes are durable when a method returns, except after `relax`. Several processes may repeat
 * one intent at the same time. So a `settled` intent never changes its status. Each request is recorded as an attempt
 * until its answer is known: while an intent has an attempt, money may have moved.
 */
export class Journal {
  readonly #database: Database
  readonly #file: string
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #attempts: Attempts
  readonly #batches: Batches
  readonly #marked = new Map<string, Attempt>()
  #counted: CountedPayments | undefined
  #gate: Gate | undefined
  #relaxed = false
  /** True if a request may have been sent since this journal was opened. */
  #hasSent = false

  private constructor(database: Database, file: string) {
    this.#database = database
    this.#file = file
    this.#statements = prepareStatements(database)
    this.#attempts = new Attempts(database)
    this.#batches = new Batches(database)
  }

  static open(directory: string): Journal {
    const file = journalFile(directory)
    return refusingFaults(file, () => {
      const database = openDatabase(directory, file)
      try {
        return new Journal(database, file)
      } catch (error) {
        database.close()
        throw error
      }
    })
  }

  static empty(): Journal {
    return new Journal(memoryDatabase(), 'in memory')
  }

  /** Payments that count against limits. */
  get counted(): CountedPayments {
    this.#counted ??= new CountedPayments(this.#database, (work) => this.#explained(work))
    return this.#counted
  }

  #explained<T>(work: () => T): T {
    if (!this.#database.open) throw closedJournal(this.#file, this.#hasSent)
    return refusingFaults(this.#file, work, this.#hasSent)
  }

  /** From now on the gate must admit everything that is recorded or marked as sent; undefined removes the gate. */
  guard(gate: Gate | undefined): void {
    this.#gate = gate
  }

  /** Runs one or several changes in one transaction; waits for other processes first. */
  inTransaction<T>(work: () => T): T {
    return this.#explained(() => this.#database.transaction(work).immediate())
  }

  /** Records the intent, or returns the intent that already has this key, even if its request differs. */
  prepare(order: NewIntent): Intent {
    return this.inTransaction(() => {
      this.#write(order)
      const intent = this.withKey(order, order.idempotency_key)
      if (!intent) throw new Error(`The intent with key ${order.idempotency_key} is gone from ${this.#file}`)
      return intent
    })
  }

  /** Records many intents in one transaction. */
  prepareAll(orders: readonly NewIntent[]): void {
    this.#durably(() => {
      for (const order of orders) this.#write(order)
    })
  }

  #write(order: NewIntent): void {
    const { base_url, user, world, idempotency_key: key } = order
    const known = this.#gate && read(this.#statements.byKey.get({ base_url, user, world, key }))
    // For a payment that was already sent, the limits are checked only when it is sent again.
    if (!known || !mayHavePaid(known.status)) this.#gate?.admit(order, this.counted, false)
    this.#statements.insert.run(rowOf(order, newIntentId(), now()))
  }

  /** Marks the intent as sent, and begins an attempt. Call in a transaction. */
  #mark(id: string, judged: IntentStatus): Attempt {
    const intent = this.#gate && read(this.#statements.byId.get(id))
    const isEnded = intent?.status === 'settled' || (intent?.status === 'rejected' && judged !== 'rejected')
    if (intent && !isEnded) this.#gate?.admit(intent, this.counted, isInDoubt(intent))
    return this.#attempts.begin(id, this.#statements.send.get({ id, now: now(), judged })?.seq)
  }

  /** Runs a change and stops counting the intent if it certainly moved no money. */
  #releasing(id: string, change: () => IntentStatus): IntentStatus {
    return this.inTransaction(() => {
      const status = change()
      const row = this.#gate && !mayHavePaid(status) ? this.#statements.byId.get(id) : undefined
      if (row) this.counted.release(row)
      return status
    })
  }

  /**
   * Runs a change and then counts the intent if it may have paid, even if another process has concluded otherwise.
   * An intent whose payment ended without paying is not counted, whichever command has read the end.
   */
  #counting<T>(id: string, change: () => T): T {
    return this.inTransaction(() => {
      const result = change()
      this.counted.recount(id)
      return result
    })
  }

  /** Stops counting an unsent payment against limits; the limits are checked again when it is sent. */
  releasePrepared(id: string): void {
    this.#releasing(id, () => this.#statements.byId.get(id)?.status ?? 'settled')
  }

  /** Stops counting a batch's unsent and refused rows against limits. */
  releaseUnsent(batch: string): void {
    this.counted.releaseUnsent(batch)
  }

  /**
   * Speeds up many payments in a row: from now on, the journal forces data to disk only if it must be there before a
   * request is sent. If a power cut loses an answer, its payment is in doubt and the service is asked again.
   */
  relax(): void {
    this.#explained(() => this.#database.pragma('synchronous = NORMAL'))
    this.#relaxed = true
  }

  /** Forces every write to disk again. */
  restore(): void {
    this.#relaxed = false
    this.#explained(() => this.#database.pragma('synchronous = FULL'))
  }

  /** Marks the intent as sent, and begins an attempt, unless it was refused since the caller read the status `judged`. */
  markSent(id: string, judged: IntentStatus = 'rejected'): Attempt {
    const marked = this.#marked.get(id)
    this.#marked.delete(id)
    if (marked) return marked
    const attempt = this.#durably(() => this.#mark(id, judged))
    this.#hasSent = true
    return attempt
  }

  /** Marks several intents with one write to disk; their statuses are those that the caller has read. */
  markSentInGroup(intents: readonly Pick<Intent, 'id' | 'status'>[]): void {
    const attempts = this.#durably(() => intents.map(({ id, status }) => this.#mark(id, status)))
    this.#hasSent = true
    for (const attempt of attempts) this.#marked.set(attempt.intentId, attempt)
  }

  /** Call before each request. Renews a mark that is old; returns false if another process has settled the intent. */
  isOpen(attempt: Attempt): boolean {
    return !this.#attempts.isStale(attempt) || this.#durably(() => this.#attempts.renew(attempt))
  }

  /** Removes the mark from intents whose requests were not sent: from `ids`, or from all marked intents. */
  retract(ids: readonly string[] = [...this.#marked.keys()]): void {
    this.inTransaction(() => {
      for (const attempt of ids.map((id) => this.#marked.get(id))) {
        if (!attempt?.seq) continue
        this.#attempts.end(attempt)
        this.#statements.retract.run({ id: attempt.intentId, now: now() })
      }
    })
    for (const id of ids) this.#marked.delete(id)
  }

  /** Keeps the first payment of an intent: if the intent already has another payment, returns the id of that payment. */
  markSettled(id: string, { id: payment_id, status, error_message: error = null, amount }: MadePayment) {
    const made = { payment_id, payment_status: status || 'pending', error, currency: namedCurrency(amount?.currency) }
    return this.#counting(id, () => {
      this.#attempts.endAll(id)
      const row = this.#statements.settle.get({ id, now: now(), ...made })
      return row ? undefined : this.#statements.byId.get(id)?.payment_id
    })
  }

  /**
   * Records that the service refused this request; other requests of the intent stay in doubt. Returns the intent's new
   * status.
   */
  markRejected(attempt: Attempt, error: string): IntentStatus {
    return this.#end(attempt, error, 'rejected')
  }

  /** Records that the request was certainly not sent. Returns the intent's new status. */
  markUnsent(attempt: Attempt, error: string): IntentStatus {
    return this.#end(attempt, error, 'prepared')
  }

  #end(attempt: Attempt, error: string, without: IntentStatus): IntentStatus {
    return this.#releasing(attempt.intentId, () => {
      this.#attempts.end(attempt)
      return this.#ended(attempt.intentId, error, without)
    })
  }

  /** Sets the status of an intent when an attempt has ended without a payment. Call in a transaction. */
  #ended(id: string, error: string, without: IntentStatus): IntentStatus {
    return this.#statements.end.get({ id, now: now(), error, without })?.status ?? 'settled'
  }

  /**
   * Records that the service has no payment with the intent's key. Returns false, and changes nothing, if a request was
   * sent or given up after the ISO time `quietSince`: that request may still arrive.
   */
  markAbsent(id: string, error: string, quietSince: string): boolean {
    return this.inTransaction(() => {
      if ((this.#attempts.last(id) ?? '') > quietSince) return false
      this.#releasing(id, () => {
        this.#attempts.endAll(id)
        return this.#ended(id, error, 'rejected')
      })
      return true
    })
  }

  /** ISO time at which a request without a known answer was last sent or given up. */
  lastDoubt(id: string): string | undefined {
    return this.#explained(() => this.#attempts.last(id))
  }

  /** Records that the wait for the request's answer was given up. */
  markLost(attempt: Attempt, error: string): void {
    this.#counting(attempt.intentId, () => {
      this.#attempts.lose(attempt)
      this.#statements.doubt.run({ id: attempt.intentId, now: now(), error })
    })
  }

  /** Records that the result of an earlier request is still unknown. */
  markUnknown(id: string, error: string): void {
    this.#counting(id, () => this.#statements.doubt.run({ id, now: now(), error }))
  }

  find(id: string): Intent | undefined {
    return this.#explained(() => read(this.#statements.byId.get(id)))
  }

  /** Yields each intent as it is at the moment of the yield: another process may be changing intents. */
  *findAll(ids: readonly string[]): Generator<Intent, void> {
    for (const id of ids) {
      const intent = this.find(id)
      if (intent) yield intent
    }
  }

  /** The principal's intent with this key. */
  withKey({ base_url, user, world }: Principal, key: string): Intent | undefined {
    return this.#explained(() => read(this.#statements.byKey.get({ base_url, user, world, key })))
  }

  /** All intents with this key at one service, of any user. */
  sameKey(baseUrl: string, key: string): Intent[] {
    return this.#explained(() => this.#statements.sameKey.all(key, baseUrl).map(intentOf))
  }

  /** Currency of an account, if a recent payment has shown it. */
  currencyOf({ base_url, world }: Pick<Principal, 'base_url' | 'world'>, source: string): string | null {
    return this.#explained(() => this.#statements.currency.get({ base_url, world, source }) ?? null)
  }

  /** Assigns an intent to the principal, unless the principal already has an intent with the same key. */
  claim(id: string, { base_url, user, world }: Principal): void {
    this.#explained(() => this.#statements.claim.run({ id, base_url, user, world }))
  }

  /** Takes a row that the service has not accepted out of its batch. */
  release(id: string): void {
    this.#explained(() => this.#statements.release.run(id))
  }

  /** True if the principal has intents in this batch. */
  hasBatch({ base_url, user, world }: Principal, batch: string): boolean {
    const { anyOfBatch } = this.#statements
    return this.#explained(() => anyOfBatch.get({ base_url, user, world, batch }) !== undefined)
  }

  /** Records the source of a batch's rows. */
  describeBatch(of: Principal, batch: string, source: BatchSource): void {
    this.inTransaction(() => this.#batches.describe(batch, of, source))
  }

  batchSource(of: Pick<BatchPart, 'base_url' | 'user' | 'world'>, batch: string): BatchSource {
    return this.#explained(() => this.#batches.source(batch, of))
  }

  /** Number of rows and sum of their amounts, for each batch, state and currency. */
  batchParts(filter: BatchFilter = {}): readonly BatchPart[] {
    return this.#explained(() => this.#batches.parts(filter))
  }

  /** Ids of the intents of a batch, one for each row, in the order of the batch's file. */
  batchIds(filter: BatchFilter & { readonly batch: string }): readonly string[] {
    return this.#explained(() => this.#batches.ids(filter))
  }

  /** Headings of the caller's own columns in a batch, in the order in which the rows first contain them. */
  columnNames(batch: string): readonly string[] {
    return this.#explained(() => this.#statements.columnNames.all(batch).map(({ name }) => name))
  }

  /** Yields the matching intents page by page, newest first by default. The journal may change between two pages. */
  *list(filter: IntentFilter = {}): Generator<Intent, void> {
    const rows = rowsOf(this.#database, filter)
    for (;;) {
      const { done, value } = this.#explained(() => rows.next())
      if (done) return
      yield this.#explained(() => intentOf(value))
    }
  }

  /** Yields the principal's intents that may have paid, newest first. Don't write to the journal while iterating. */
  *sent({ base_url, user, world }: Principal): Generator<SentPayment, void> {
    const rows = this.#explained(() => this.#statements.sent.iterate({ base_url, user, world }))
    try {
      for (;;) {
        const { done, value } = this.#explained(() => rows.next())
        if (done) return
        const { body, expected_names: names, ...row } = value
        yield { ...row, body: parsed(body), expected_names: names === null ? null : parsed(names) }
      }
    } finally {
      rows.return?.() // an open statement blocks writes
    }
  }

  count(filter: IntentFilter = {}): number {
    return this.#explained(() => countOf(this.#database, filter))
  }

  /** Runs `work` on one state of the journal, even while other processes write. */
  atOneMoment<T>(work: () => T): T {
    return this.counted.atOneMoment(work)
  }

  /** Runs work in one transaction that is forced to disk, even during a batch. */
  #durably<T>(work: () => T): T {
    if (this.#relaxed) this.#explained(() => this.#database.pragma('synchronous = FULL'))
    try {
      return this.inTransaction(work)
    } finally {
      if (this.#relaxed) this.#database.pragma('synchronous = NORMAL')
    }
  }

  close(): void {
    this.#database.close()
  }
}

type SentPayment = Pick<Intent, 'body' | 'expected_names' | 'batch' | 'created_at' | 'status' | 'payment_status'>

const now = (): string => new Date().toISOString()

const read = (row: IntentRow | undefined): Intent | undefined => row && intentOf(row)
