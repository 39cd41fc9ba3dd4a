import { foreign, type Said, say } from '../words/text.ts'

/** Invalid input from the caller: a malformed base URL, token, parameter or header. Nothing was sent. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError'
}

/** `errors` of the envelope as received: an object, usually from field to messages; a string; or null if absent. */
export type ErrorDetails = Readonly<Record<string, unknown>> | string | null

/** If `doubtful`, adds to a message that the request may have been carried out. */
export const withDoubt = (message: Said, doubtful: boolean): Said =>
  doubtful ? say`${message} The request may have been carried out: check before repeating it.` : message

interface ApiErrorFields {
  readonly status: number
  readonly message: string
  readonly errors: ErrorDetails
  readonly requestId: string | undefined
  readonly retryable: boolean
  readonly retryAfter?: number | undefined
  readonly doubtful?: boolean
  readonly fromService: boolean
}

/** A 4xx or 5xx answer. For a payment, an ApiError means that the service certainly did not accept the payment. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly errors: ErrorDetails
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string | undefined
  /** True if repeating the call is harmless and may succeed later. */
  readonly retryable: boolean
  /** Milliseconds to wait before the next request, as the service asked. */
  readonly retryAfter: number | undefined
  /**
   * True only for a write without an idempotency key that may have been carried out, for example after a 500 or a
   * gateway's 403.
   */
  readonly doubtful: boolean
  /** True if the body is the service's error envelope. A gateway in front of the service sends other bodies. */
  readonly fromService: boolean

  constructor(fields: ApiErrorFields) {
    super(fields.message)
    this.status = fields.status
    this.errors = fields.errors
    this.requestId = fields.requestId
    this.retryable = fields.retryable
    this.retryAfter = fields.retryAfter
    this.doubtful = fields.doubtful ?? false
    this.fromService = fields.fromService
  }
}

/**
 * True if the service itself answered with one of these statuses. A gateway's answer says nothing about the service.
 */
export const isServiceAnswer = (error: unknown, ...statuses: readonly number[]): error is ApiError =>
  error instanceof ApiError && error.fromService && statuses.includes(error.status)

/** The rate limit error (429) among an error's causes, if any. */
export function rateLimitOf(error: unknown): ApiError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApiError) return cause.status === 429 ? cause : undefined
  }
  return undefined
}

/** The service was not reached, or did not answer a request that moves no money. `reason` is a short phrase. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly reason: string
  readonly said: Said
  /** False only for a write without an idempotency key that may have reached the service and been carried out. */
  readonly retryable: boolean

  constructor(route: string, reason: string, options: { retryable: boolean; cause: unknown }) {
    const said = withDoubt(say`No answer from ${foreign(route)}: ${foreign(reason)}.`, !options.retryable)
    super(String(said), { cause: options.cause })
    this.said = said
    this.reason = reason
    this.retryable = options.retryable
  }
}

/** Awaits the answer; null if the service itself refuses with one of these statuses. For optional information. */
export async function unlessRefused<T>(answer: Promise<T>, statuses: readonly number[]): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (isServiceAnswer(error, ...statuses)) return null
    throw error
  }
}

/** Awaits the answer; null if the token lacks permission. */
export const permitted = <T>(answer: Promise<T>): Promise<T | null> => unlessRefused(answer, [403])

/**
 * A payment may have reached the service, but no definite answer came back: money may have moved. Search the payment
 * history for the error's `idempotencyKey`. Sending the payment again with the same key moves money at most once while
 * the service remembers the key. `cause` is the error of the last attempt.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError'
  /** Undefined only for a raw request without a key. */
  readonly idempotencyKey: string | undefined
  /** The fault, as a short phrase. */
  readonly reason: string
  readonly said: Said

  constructor(idempotencyKey: string | undefined, reason: string, cause: unknown) {
    const remedy =
      idempotencyKey === undefined
        ? say`Check the payment history before sending the payment again.`
        : say`First look for the idempotency key (${idempotencyKey}) in the payment history. Sending the payment again with that key does not pay twice while the service remembers the key; a new key could pay twice.`
    const said = say`The outcome of the payment is unknown; money may have moved: ${foreign(reason)}. ${remedy}`
    super(String(said), { cause })
    this.said = said
    this.idempotencyKey = idempotencyKey
    this.reason = reason
  }
}

/** The answer breaks the interface: not the envelope, not JSON, too big, or a redirect. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  /** True only for a write without an idempotency key, which may have been carried out. */
  readonly doubtful: boolean

  constructor(message: string, { doubtful = false }: { readonly doubtful?: boolean } = {}) {
    super(String(withDoubt(message, doubtful)))
    this.doubtful = doubtful
  }
}
