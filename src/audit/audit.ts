import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { platform } from 'node:process'
import { UsageError } from '../errors/cli_error.ts'
import { auditFile, makeFolder } from '../files/directories.ts'
import { fileFault } from '../files/file_fault.ts'
import { type Intent, isInDoubt, type Principal } from '../journal/intent.ts'
import { say } from '../words/text.ts'

/**
 * Source of the agreement to a payment: a person who confirmed at the terminal (`terminal`) or typed the amount
 * (`typed`), the flag --yes (`flag`), or the agreement given when the payment was first sent (`earlier`).
 */
export type Decision = 'terminal' | 'typed' | 'flag' | 'earlier'

/**
 * A line of the audit file. Amounts are in minor units; null means unknown or not applicable.
 *
 * - `asked`: a payment is about to be sent; this line is written before the request
 * - `outcome`: result of a payment
 * - `refused`: limits blocked a payment or another change
 * - `loosened`: a person loosened limits
 */
export interface AuditLine {
  readonly time: string
  readonly event: 'asked' | 'outcome' | 'refused' | 'loosened'
  readonly profile: string
  readonly service: string | null
  readonly user: string | null
  readonly amount: number | null
  readonly currency: string | null
  readonly payee: string | null
  readonly key: string | null
  readonly intent: string | null
  readonly payment: string | null
  readonly decided_by: Decision | null
  /** Outcome of the payment, message of the refusal, or description of the change. */
  readonly what: string | null
}

const empty = {
  service: null,
  user: null,
  amount: null,
  currency: null,
  payee: null,
  key: null,
  intent: null,
  payment: null,
  decided_by: null,
  what: null,
} as const

/** Flag that refuses to open a symbolic link; Windows lacks it. */
const noFollow = platform === 'win32' ? 0 : constants.O_NOFOLLOW

/** Number of non-durable lines after which the file is synced to disk. */
const groupSize = 64

/** The audit file. Lines are only appended, each with one write, so several processes may append at the same time. */
export class Audit {
  readonly #file: string
  #descriptor: number | undefined
  /**
   * True if the last line of the file was cut off, for example by a full disk: the next write must begin with a line
   * end.
   */
  #isCut = false
  #unsynced = 0

  constructor(stateDir: string) {
    this.#file = auditFile(stateDir)
  }

  /**
   * Appends a line; if `durable`, returns only after the line is on disk. Throws UsageError if the file can't be
   * written.
   */
  add(
    line: Pick<AuditLine, 'event' | 'profile'> & Partial<AuditLine>,
    { durable }: { readonly durable: boolean },
  ): void {
    const text = JSON.stringify({ time: new Date().toISOString(), ...empty, ...line })
    try {
      this.#write(text)
      this.#unsynced += 1
      if (durable || this.#unsynced >= groupSize) this.#sync()
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error) && !(error instanceof CutError)) throw error
      throw writeError(this.#file, error)
    }
  }

  #sync(): void {
    if (this.#descriptor !== undefined && this.#unsynced > 0) fsyncSync(this.#descriptor)
    this.#unsynced = 0
  }

  close(): void {
    if (this.#descriptor === undefined) return
    try {
      this.#sync()
    } finally {
      closeSync(this.#descriptor)
      this.#descriptor = undefined
    }
  }

  #write(text: string): void {
    this.#descriptor ??= this.#open()
    const bytes = Buffer.from(`${this.#isCut ? '\n' : ''}${text}\n`)
    const written = writeSync(this.#descriptor, bytes) // if it throws, it has written nothing
    this.#isCut = written < bytes.length
    if (this.#isCut) throw new CutError('no space left for a whole line')
  }

  #open(): number {
    makeFolder(dirname(this.#file))
    const { O_APPEND, O_CREAT, O_RDWR } = constants
    const descriptor = openSync(this.#file, O_APPEND | O_CREAT | O_RDWR | noFollow, 0o600)
    const { size } = fstatSync(descriptor)
    const last = Buffer.alloc(1)
    this.#isCut = size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
    return descriptor
  }
}

class CutError extends Error {}

/** The audit file, and the source of the agreement to a run's payments. */
export interface AuditOptions {
  readonly file: Audit
  readonly decidedBy: Decision
}

/**
 * Writes the payments of one run to the audit file. The lines of a batch are forced to disk in groups, not one by one.
 */
export class PaymentAudit {
  decidedBy: Decision
  readonly #file: Audit
  readonly #payer: Principal & { readonly profile: string }
  readonly #currencyOf: (source: string) => string | null

  /** `currencyOf` returns the currency of an account, if it is known. */
  constructor(
    { file, decidedBy }: AuditOptions,
    payer: Principal & { readonly profile: string },
    currencyOf: (source: string) => string | null,
  ) {
    this.decidedBy = decidedBy
    this.#file = file
    this.#payer = payer
    this.#currencyOf = currencyOf
  }

  /**
   * Records that a payment is about to be sent. Call before the request is sent. Throws if the line can't be written;
   * the caller must then not send the request.
   */
  asked(intent: Intent): void {
    this.#add(intent, { event: 'asked', decided_by: isInDoubt(intent) ? 'earlier' : this.decidedBy })
  }

  /**
   * Records the outcome of a payment. `currency`: currency in the service's answer; null: the intent's currency
   * applies.
   */
  outcome(intent: Intent, { currency, ...facts }: Pick<AuditLine, 'payment' | 'what' | 'currency'>): void {
    this.#add(intent, { event: 'outcome', ...facts, ...(currency !== null && { currency }) })
  }

  #add(intent: Intent, facts: Pick<AuditLine, 'event'> & Partial<AuditLine>): void {
    const { profile, base_url: service, user } = this.#payer
    const { id, batch, idempotency_key: key, body } = intent
    const { amount, source_account_id, recipient_iban, recipient_phone } = body
    const currency = intent.currency ?? this.#currencyOf(source_account_id)
    const payee = recipient_iban ?? recipient_phone ?? null
    const line = { profile, service, user, amount, currency, payee, key, intent: id }
    this.#file.add({ ...line, ...facts }, { durable: batch === null })
  }
}

const writeError = (file: string, error: Error): UsageError =>
  new UsageError(
    say`The audit file ${file} can't be written: ${fileFault(error)}. Nothing was sent.`,
    'Make room, or let this user write to the file',
  )
