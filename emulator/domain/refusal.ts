import type { ErrorStatus } from '../../src/contract/index.ts'

/**
 * An error answer. Handlers throw it before they write anything. If a refusal has no message, the answer contains the
 * endpoint's own message for that status, or else the message of the first field.
 */
export class Refusal extends Error {
  readonly status: ErrorStatus
  readonly errors: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(status: ErrorStatus, details: RefusalDetails = {}) {
    super(details.message ?? '')
    this.status = status
    this.errors = details.errors ?? {}
    this.headers = details.headers ?? {}
  }
}

/** Refusal of a request that is invalid whatever the state of the world. */
export class InvalidRequest extends Refusal {}

interface RefusalDetails {
  readonly message?: string
  readonly errors?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** A 422 refusal with a message for one field. */
export const invalid = (field: string, message: string): Refusal => new Refusal(422, { errors: { [field]: [message] } })
