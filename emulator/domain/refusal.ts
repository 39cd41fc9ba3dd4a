import type { ErrorStatus } from '../../src/contract/index.ts'

/**
 * An error answer. Handlers throw it before they write anything. A missing message defaults to the endpoint's own for
 * that status, or else to the first field message.
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

/** Refusal of a request that does not match its endpoint's row, whatever the state of the world. */
export class InvalidRequest extends Refusal {}

interface RefusalDetails {
  readonly message?: string
  readonly errors?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** 422 on one field. */
export const invalid = (field: string, message: string): Refusal => new Refusal(422, { errors: { [field]: [message] } })
