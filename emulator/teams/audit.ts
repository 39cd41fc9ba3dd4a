import { closeSync, openSync, writeSync } from 'node:fs'
import { timestamp } from '../domain/time.ts'
import { EmulatorRefusal } from '../options.ts'
import { refuseForeignOrLink } from '../store/own_files.ts'

/** A control call, without secrets. */
interface AuditedCall {
  /** Epoch milliseconds of the machine's clock. */
  readonly at: number
  /** Null for the administrator, and for a caller without a valid key. */
  readonly team: string | null
  /** Name of the caller's key, which is `admin` for the control token; null if the call had no valid key. */
  readonly key: string | null
  /** Method and path, without the query. */
  readonly request: string
  /** Name of the world that the request names, or that the call made. */
  readonly world: string
  /** Status of the answer; null: no answer. */
  readonly status: number | null
}

/** A file to which each control call is appended as a line of JSON. Only the owner of the file can read it. */
export class AuditLog {
  /** Null: closed. */
  #file: number | null
  readonly #onFault: (error: unknown) => void
  #hasFailed = false

  /** Throws EmulatorRefusal if the file can't be written. */
  constructor(path: string, onFault: (error: unknown) => void) {
    refuseForeignOrLink(path)
    try {
      this.#file = openSync(path, 'a', 0o600)
    } catch (error) {
      throw new EmulatorRefusal(
        `The audit log can’t be written: ${(error as Error).message}`,
        (name) => `Name another file with ${name('auditLog')}.`,
      )
    }
    this.#onFault = onFault
  }

  /**
   * Adds a call. A full disk does not stop calls: the error is reported only once until a line can be written again.
   */
  add({ at, ...call }: AuditedCall): void {
    // Work for a closed connection may end after the emulator has closed the log.
    if (this.#file === null) return
    try {
      writeSync(this.#file, `${JSON.stringify({ time: timestamp(at), ...call })}\n`)
      this.#hasFailed = false
    } catch (error) {
      if (!this.#hasFailed) this.#onFault(error)
      this.#hasFailed = true
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}
