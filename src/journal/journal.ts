import { existsSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { namedCurrency } from '../contract/money.ts'
import { journalFile } from '../files/directories.ts'
import { type Attempt, Attempts } from './attempts.ts'
import { CountedPayments } from './counted_payments.ts'
import { openDatabase, refusingFaults, requireFolder, requireOpen } from './database.ts'
import type { Gate } from './gate.ts'
import {
  type Draft,
  type Intent,
  type IntentFilter,
  type IntentStatus,
  isInDoubt,
  type MadePayment,
  mayHavePaid,
  newIntentId,
  type Principal,
} from './intent.ts'
import { countOf, intentOf, prepareStatements, type Row, rowOf, rowsOf } from './statements.ts'

/** Opens the journal of payment intents in a folder; makes both if they are missing, readable by their owner only. */
export const openJournal = (directory: string): Journal => Journal.open(requireFolder(directory))

/** The journal in `directory`, if there is one. Makes nothing. */
export const existingJournal = (directory: string): Journal | undefined =>
  existsSync(journalFile(directory)) ? openJournal(directory) : undefined

/**
 * Payment intents on disk. What a method wrote is durable when it returns. Several processes may repeat one intent at
 * the same time. So `settled` is never left, and each request is an attempt of its intent until its answer is known:
 * while an intent has one, money may have moved.
 */
export class Journal {
  readonly #database: Database
  readonly #file: string
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #attempts: Attempts
  readonly #marked = new Map<string, Attempt>()
  #counted: CountedPayments | undefined
  #gate: Gate | undefined
  #relaxed = false
  /** Whether a request may have left since this journal was opened. */
  #hasSent = false

  private constructor(database: Database, file: string) {
    this.#database = database
    this.#file = file
    this.#statements = prepareStatements(database)
    this.#attempts = new Attempts(database)
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

  /** What limits count. */
  get counted(): CountedPayments {
    this.#counted ??= new CountedPayments(this.#database, (work) => this.#explained(work))
    return this.#counted
  }

  #explained<T>(work: () => T): T {
    requireOpen(this.#database, this.#file, this.#hasSent)
    return refusingFaults(this.#file, work, this.#hasSent)
  }

  /** From now on nothing is written down or marked as sent that the gate does not admit; undefined takes it away. */
  guard(gate: Gate | undefined): void {
    this.#gate = gate
  }

  /** One change of what limits count, or several; waits for other processes first. */
  inTransaction<T>(work: () => T): T {
    return this.#explained(() => this.#database.transaction(work).immediate())
  }

  /** Writes the intent down, or returns the one that has this key already, whatever its body. */
  prepare(draft: Draft): Intent {
    return this.inTransaction(() => {
      this.#write(draft)
      const intent = this.withKey(draft, draft.idempotency_key)
      if (!intent) throw new Error(`The intent with key ${draft.idempotency_key} is gone from ${this.#file}`)
      return intent
    })
  }

  /** The same for many, in one transaction. */
  prepareAll(drafts: readonly Draft[]): void {
    this.#durably(() => {
      for (const draft of drafts) this.#write(draft)
    })
  }

  #write(draft: Draft): void {
    const { base_url, user, world, idempotency_key: key } = draft
    const known = this.#gate && read(this.#statements.byKey.get({ base_url, user, world, key }))
    // What has been sent is judged when it is sent again.
    if (!known || !mayHavePaid(known.status)) this.#gate?.admit(draft, this.counted, false)
    this.#statements.insert.run(rowOf(draft, newIntentId(), now()))
  }

  /** In a transaction. */
  #mark(id: string): Attempt {
    const intent = this.#gate && read(this.#statements.byId.get(id))
    if (intent && intent.status !== 'settled') this.#gate?.admit(intent, this.counted, isInDoubt(intent))
    return this.#attempts.begin(id, this.#statements.send.get({ id, now: now() })?.seq)
  }

  /** Runs a change after which the intent no longer counts, if it certainly moved no money. */
  #releasing(id: string, change: () => IntentStatus): IntentStatus {
    return this.inTransaction(() => {
      const status = change()
      const row = this.#gate && !mayHavePaid(status) ? this.#statements.byId.get(id) : undefined
      if (row) this.counted.release(row)
      return status
    })
  }

  /** What may have paid counts, also if another process found meanwhile that it had not; what ended unpaid does not. */
  #counting(id: string, change: () => void): void {
    this.inTransaction(() => {
      change()
      if (this.#gate) this.counted.countAnew(id)
    })
  }

  /** A payment that has not left no longer counts; it is judged again when it does. */
  releasePrepared(id: string): void {
    this.#releasing(id, () => this.#statements.byId.get(id)?.status ?? 'settled')
  }

  /** The same for the rows of a batch. */
  releaseUnsent(batch: string): void {
    this.counted.releaseUnsent(batch)
  }

  /**
   * For many payments in a row: from now on only what must be known before a request leaves is forced to disk. If a
   * power cut loses an answer, its payment is in doubt and the service is asked again.
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

  /** Must be called before the first request of the attempt is sent. */
  markSent(id: string): Attempt {
    const marked = this.#marked.get(id)
    this.#marked.delete(id)
    if (marked) return marked
    const attempt = this.#durably(() => this.#mark(id))
    this.#hasSent = true
    return attempt
  }

  /** Marks several intents with one write to disk. */
  markSentInGroup(ids: readonly string[]): void {
    const attempts = this.#durably(() => ids.map((id) => this.#mark(id)))
    this.#hasSent = true
    for (const attempt of attempts) this.#marked.set(attempt.intentId, attempt)
  }

  /**
   * Must be called before each request of an attempt; writes its time where the mark is old. Returns false if another
   * process has settled the intent meanwhile: then no request may be sent.
   */
  isOpen(attempt: Attempt): boolean {
    return !this.#attempts.isStale(attempt) || this.#durably(() => this.#attempts.renew(attempt))
  }

  /** Removes the mark from intents whose requests were not sent: from `ids`, or from all marked ones. */
  retract(ids: readonly string[] = [...this.#marked.keys()]): void {
    this.inTransaction(() => {
      for (const attempt of ids.map((id) => this.#marked.get(id))) {
        if (!attempt) continue
        this.#attempts.end(attempt)
        this.#statements.retract.run({ id: attempt.intentId, now: now() })
      }
    })
    for (const id of ids) this.#marked.delete(id)
  }

  markSettled(id: string, payment: MadePayment): void {
    const status = payment.status || 'pending' // it was accepted
    const error = payment.error_message ?? null
    const currency = namedCurrency(payment.amount?.currency)
    this.#counting(id, () => {
      this.#statements.settle.run({ id, now: now(), payment_id: payment.id, payment_status: status, error, currency })
      this.#attempts.endAll(id)
    })
  }

  /** The service refused this request; others of the intent stay in doubt. Returns its status now. */
  markRejected(attempt: Attempt, error: string): IntentStatus {
    return this.#end(attempt, error, 'rejected')
  }

  /** The request was certainly not sent. Returns the status of its intent now. */
  markUnsent(attempt: Attempt, error: string): IntentStatus {
    return this.#end(attempt, error, 'prepared')
  }

  #end(attempt: Attempt, error: string, without: IntentStatus): IntentStatus {
    return this.#releasing(attempt.intentId, () => {
      this.#attempts.end(attempt)
      return this.#ended(attempt.intentId, error, without)
    })
  }

  /** In a transaction. */
  #ended(id: string, error: string, without: IntentStatus): IntentStatus {
    return this.#statements.end.get({ id, now: now(), error, without })?.status ?? 'settled'
  }

  /**
   * The service has no payment with the intent's key. Returns false, and changes nothing, if a request was sent or given
   * up after `quietSince`, an ISO time: it may still arrive.
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

  /** When a request of the intent was last sent or given up, of those whose answer is not known: an ISO time. */
  lastDoubt(id: string): string | undefined {
    return this.#explained(() => this.#attempts.last(id))
  }

  /** The answer to the request is given up. */
  markLost(attempt: Attempt, error: string): void {
    this.#counting(attempt.intentId, () => {
      this.#attempts.lose(attempt)
      this.#statements.doubt.run({ id: attempt.intentId, now: now(), error })
    })
  }

  /** What an earlier request did is still not known. */
  markUnknown(id: string, error: string): void {
    this.#counting(id, () => this.#statements.doubt.run({ id, now: now(), error }))
  }

  find(id: string): Intent | undefined {
    return this.#explained(() => read(this.#statements.byId.get(id)))
  }

  /** As they are at each step: another process may be at work on them. */
  *findAll(ids: readonly string[]): Generator<Intent, void> {
    for (const id of ids) {
      const intent = this.find(id)
      if (intent) yield intent
    }
  }

  /** The intent of the principal. */
  withKey({ base_url, user, world }: Principal, key: string): Intent | undefined {
    return this.#explained(() => read(this.#statements.byKey.get({ base_url, user, world, key })))
  }

  /** All intents with this key at one service, of any user. */
  sameKey(baseUrl: string, key: string): Intent[] {
    return this.#explained(() => this.#statements.sameKey.all(key, baseUrl).map(intentOf))
  }

  /** The currency of an account, if a payment of the last ones has shown it. */
  currencyOf({ base_url, world }: Pick<Principal, 'base_url' | 'world'>, source: string): string | null {
    return this.#explained(() => this.#statements.currency.get({ base_url, world, source }) ?? null)
  }

  /** Makes an intent the principal's, unless the principal already has one with its key. */
  claim(id: string, { base_url, user, world }: Principal): void {
    this.#explained(() => this.#statements.claim.run({ id, base_url, user, world }))
  }

  /** Removes rows that were not paid from a batch; `prepareAll` adds those again that its file still has. */
  release({ base_url, user, world }: Principal, batch: string): void {
    this.#explained(() => this.#statements.release.run({ base_url, user, world, batch }))
  }

  /** Whether the principal has intents in this batch. */
  hasBatch({ base_url, user, world }: Principal, batch: string): boolean {
    const { anyOfBatch } = this.#statements
    return this.#explained(() => anyOfBatch.get({ base_url, user, world, batch }) !== undefined)
  }

  /** Names of the caller's own columns in a batch, in the order of its rows. */
  columnNames(batch: string): readonly string[] {
    return this.#explained(() => this.#statements.columnNames.all(batch).map(({ name }) => name))
  }

  /** Newest first by default. Holds one page in memory; the journal may be written to between two pages. */
  *list(filter: IntentFilter = {}): Generator<Intent, void> {
    const rows = rowsOf(this.#database, filter)
    for (;;) {
      const { done, value } = this.#explained(() => rows.next())
      if (done) return
      yield this.#explained(() => intentOf(value))
    }
  }

  count(filter: IntentFilter = {}): number {
    return this.#explained(() => countOf(this.#database, filter))
  }

  /** `work` reads one state of the journal, whatever other processes write meanwhile. */
  atOneMoment<T>(work: () => T): T {
    return this.counted.atOneMoment(work)
  }

  /** In one transaction, which is forced to disk also during a batch. */
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

const now = (): string => new Date().toISOString()

const read = (row: Row | undefined): Intent | undefined => row && intentOf(row)
