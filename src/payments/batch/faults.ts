import { CliError } from '../../errors/cli_error.ts'
import { failureOf } from '../../errors/failure.ts'
import { reasonOf } from '../../errors/reason.ts'
import { ApiError } from '../../errors/service_errors.ts'

/** What a failure to send one row says of the rows after it. */
export type Prospect = 'next' | 'no answer' | 'stop'

/** A refusal concerns its row only; a token that is not good, or a fault of this machine, concerns all. */
export function prospectAfter(error: unknown): Prospect {
  const { exit } = failureOf(error, false)
  const answered = error instanceof ApiError || (error instanceof CliError && error.cause instanceof ApiError)
  if (answered && exit !== 'unauthenticated' && exit !== 'forbidden') return 'next'
  return exit === 'outcome_unknown' || exit === 'unavailable' ? 'no answer' : 'stop'
}

/** The refusal for asking too often that an error comes down to. */
export function rateLimitOf(error: unknown): ApiError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApiError) return cause.status === 429 ? cause : undefined
  }
  return undefined
}

export const isInDoubt = (error: unknown): boolean => error instanceof CliError && error.exit === 'outcome_unknown'

export const givenUp = (rows: number, error: unknown): CliError =>
  new CliError(
    'unavailable',
    `The service gave no clear answer for ${rows} rows in a row, so no more were sent: ${reasonOf(error)}.`,
  )

export const journalFault = (error: unknown): CliError =>
  new CliError('usage', `The payment journal could not be updated: ${reasonOf(error)}.`)
