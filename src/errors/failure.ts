import { isUnfinished } from '../contract/errors.ts'
import { CliError, errorMessage, IntentError } from './cli_error.ts'
import type { Exit } from './exit_codes.ts'
import type { NextStep } from './next_step.ts'
import {
  ApiError,
  ContractError,
  type ErrorDetails,
  InvalidRequestError,
  NetworkError,
  OutcomeUnknownError,
  withDoubt,
} from './service_errors.ts'

/** What a failed run tells, whatever the format. */
export interface Failure {
  readonly exit: Exit
  /** For scripts: finer than the exit code. */
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly status?: number
  readonly errors?: ErrorDetails
  readonly requestId?: string | undefined
  readonly retryable?: boolean
  /** Of the payment that it is about, where it is about one that was written down. */
  readonly intentId?: string
}

const rejected: Remedy = ['rejected', 'Correct the values named above and run the command again.']

/** `login` is the command that logs in where this run went. */
type Remedy = readonly [exit: Exit, hint: string | ((login: string) => string)]

const remedies: Readonly<Record<number, Remedy>> = {
  400: rejected,
  401: [
    'unauthenticated',
    (login) =>
      `Log in again: ${login}. Or set PAYCTL_TOKEN to a token that is still valid. With a running emulator, --emulator finds its token.`,
  ],
  403: [
    'forbidden',
    (login) => `Log in again and allow the scope: ${login}. Or set PAYCTL_TOKEN to a token that has it.`,
  ],
  404: ['not_found', 'Check the value; --verbose shows where the request went.'],
  409: ['conflict', 'Read the current state first, then decide: it may be done already.'],
  410: ['not_found', 'It is gone for good. Of an emulator’s worlds another can be made: payctl emulator worlds create'],
  422: rejected,
  429: ['rate_limited', 'Wait a minute and run it again, or let payctl wait longer: --retries 10'],
}

const serverFault: Remedy = ['unavailable', 'Try again later. Whether the rails are up: payctl payments service-status']

/** How the command line says what can be done. */
export interface Wording {
  /** What to type to log in where the run went. */
  login(): string
  hintOf(step: NextStep): string | undefined
}

const noWording: Wording = { login: () => 'payctl login', hintOf: () => undefined }

/** `interrupted`: whether this run was asked to stop. */
export function failureOf(error: unknown, interrupted: boolean, wording = noWording): Failure {
  if (error instanceof IntentError) {
    return { ...failureOf(error.cause, interrupted, wording), intentId: error.intentId }
  }
  if (error instanceof CliError) return own(error, wording)
  if (error instanceof ApiError) return answered(error, wording)
  if (error instanceof OutcomeUnknownError) {
    const hint = 'See what became of it: payctl payments intents'
    return { exit: 'outcome_unknown', code: 'outcome_unknown', message: error.message, hint }
  }
  if (isInterruption(error) || interrupted) {
    return { exit: 'interrupted', code: 'interrupted', message: 'Interrupted.', retryable: true }
  }
  if (error instanceof NetworkError) return unanswered(error)
  if (error instanceof ContractError) {
    if (error.doubtful) return { ...perhapsDone(error.message), code: 'contract' }
    const hint = 'Check that the base URL is that of the API: --verbose shows the answer.'
    return { exit: 'unavailable', code: 'contract', message: error.message, hint }
  }
  if (error instanceof InvalidRequestError) return { exit: 'usage', code: 'usage', message: error.message }
  return unexpected(error)
}

function own({ exit, message, hint, next, errors, cause }: CliError, { hintOf }: Wording): Failure {
  const refusal = cause instanceof ApiError ? factsOf(cause) : {}
  return { exit, code: exit, message, hint: hint ?? (next && hintOf(next)), ...refusal, ...(errors && { errors }) }
}

const factsOf = ({ status, errors, requestId, retryable }: ApiError) => ({ status, errors, requestId, retryable })

function answered(error: ApiError, { login }: Wording): Failure {
  const { status } = error
  const message = error.message || `The service answered ${status}.`
  const told = factsOf(error)
  if (error.doubtful) return { ...perhapsDone(withDoubt(message.replace(/\.?$/, '.'), true)), ...told }
  const [exit, hint] = remedies[status] ?? (isUnfinished(status) ? serverFault : rejected)
  return { exit, code: exit, message, hint: typeof hint === 'string' ? hint : hint(login()), ...told }
}

/** Of a write that the service may have carried out, though it did not say so. */
const perhapsDone = (message: string): Failure => ({
  exit: 'outcome_unknown',
  code: 'outcome_unknown',
  message,
  hint: 'List what exists before repeating it, for example: payctl accounts list',
  retryable: false,
})

function unanswered({ message, retryable }: NetworkError): Failure {
  if (!retryable) return { ...perhapsDone(message), code: 'network' }
  const hint = 'Check the base URL and the network, or work offline: payctl emulate'
  return { exit: 'unavailable', code: 'network', message, hint, retryable }
}

/** Ctrl-C at a question, or an abort. */
const isInterruption = (error: unknown): boolean =>
  error instanceof Error &&
  (['AbortError', 'ExitPromptError', 'AbortPromptError'].includes(error.name) || isHangUp(error))

/** A terminal that has gone away can be neither read nor written, which may show before the signal arrives. */
const isHangUp = (error: Error): boolean => 'code' in error && error.code === 'EIO'

function unexpected(error: unknown): Failure {
  const message = errorMessage(error)
  if (error instanceof Error && 'syscall' in error) return { exit: 'bug', code: 'system', message }
  const hint = 'This is a bug in payctl. Run it again with PAYCTL_DEBUG=1 and report what it prints.'
  return { exit: 'bug', code: 'bug', message, hint }
}
