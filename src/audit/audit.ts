import { closeSync, constants, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { platform } from 'node:process'
import { UsageError } from '../errors/cli_error.ts'
import { auditFile } from '../files/directories.ts'

/**
 * Source of the agreement: a person who confirmed at the terminal (`terminal`) or typed the amount (`typed`), the flag
 * --yes (`flag`), or the agreement when the payment was first sent (`earlier`).
 */
export type Decision = 'terminal' | 'typed' | 'flag' | 'earlier'

/**
 * A line of the audit file. Amounts in minor units; null: not known.
 *
 * - `asked`: a payment is about to be sent. Written before its request
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
  /** Outcome of a payment, or the text of a refusal or a change. */
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

/** Windows has no such flag. */
const noFollow = platform === 'win32' ? 0 : constants.O_NOFOLLOW

/** Number of non-durable lines after which the file is synced to disk. */
const groupSize = 64

/** The audit file. Lines are only appended, each with one write, so several processes may append at the same time. */
export class Audit {
  readonly #file: string
  #descriptor: number | undefined
  /** The last line of the file was cut off, for example by a full disk: start a new line first. */
  #isCut = false
  #unsynced = 0

  constructor(stateDir: string) {
    this.#file = auditFile(stateDir)
  }

  /** Appends a line; if `durable`, returns after it is on disk. Throws UsageError if the file can't be written. */
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
    this.#isCut = false
    const written = writeSync(this.#descriptor, bytes)
    if (written === bytes.length) return
    this.#isCut = true
    throw new CutError('no space left for a whole line')
  }

  #open(): number {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    const { O_APPEND, O_CREAT, O_RDWR } = constants
    const descriptor = openSync(this.#file, O_APPEND | O_CREAT | O_RDWR | noFollow, 0o600)
    const { size } = fstatSync(descriptor)
    const last = Buffer.alloc(1)
    this.#isCut = size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
    return descriptor
  }
}

class CutError extends Error {}

const writeError = (file: string, { message }: Error): UsageError =>
  new UsageError(
    `The audit file ${file} can't be written: ${message}. Nothing was sent.`,
    'Make room, and let this user write there',
  )
