import { isUnfinished } from '../contract/errors.ts'
import { CliError, errorMessage, IntentError } from './cli_error.ts'
import type { Exit } from './exit_codes.ts'
import { type NextStep, toRun } from './next_step.ts'
import {
  ApiError,
  ContractError,
  type ErrorDetails,
  InvalidRequestError,
  NetworkError,
  OutcomeUnknownError,
  withDoubt,
} from './service_errors.ts'

/** Report of a failed run, independent of its format. */
export interface Failure {
  readonly exit: Exit
  /** For scripts: more specific than the exit code. */
  readonly code: string
  readonly message: string
  /** The next step, in words. */
  readonly hint?: string | undefined
  /** The next step as data; the caller puts it into words. */
  readonly next?: NextStep | undefined
  readonly status?: number
  readonly errors?: ErrorDetails
  readonly requestId?: string | undefined
  readonly retryable?: boolean
  /** Id of the payment intent concerned, if one was recorded. */
  readonly intentId?: string
  readonly paymentId?: string | undefined
}

type Remedy = readonly [exit: Exit, next: NextStep | string]

const rejected: Remedy = ['rejected', { kind: 'read_help' }]

const remedies: Readonly<Record<number, Remedy>> = {
  400: rejected,
  401: [
    'unauthenticated',
    {
      kind: 'log_in',
      words:
        'Log in again, or set PAYCTL_TOKEN to a token that is still valid. With a running emulator, --emulator finds its token.',
    },
  ],
  403: [
    'forbidden',
    { kind: 'log_in', words: 'Log in again and allow the scope, or set PAYCTL_TOKEN to a token that has it' },
  ],
  404: ['not_found', 'Check the id or value that you gave; --verbose shows where the request went.'],
  409: ['conflict', 'Look at how it stands now before you decide: it may be done already.'],
  410: [
    'not_found',
    toRun(['emulator', 'worlds', 'create'], 'It is gone for good. Of an emulator’s worlds another can be made'),
  ],
  422: rejected,
  429: ['rate_limited', 'Wait a minute and run it again, or let payctl wait longer: --retries 10'],
}

const serverFault: Remedy = [
  'unavailable',
  toRun(['payments', 'service-status'], 'Try again later. To see whether the payment networks are up'),
]

/** A gateway's answer is not the service's validation: it says nothing about the request. */
const gatewayFault: Remedy = [
  'unavailable',
  'The answer is not from the service, but from something in front of it, such as a gateway. Try again later; --verbose shows it.',
]

/** `interrupted`: true if this run was asked to stop. */
export function failureOf(error: unknown, interrupted: boolean): Failure {
  if (error instanceof IntentError) {
    return { ...failureOf(error.cause, interrupted), intentId: error.intentId }
  }
  if (error instanceof CliError) return own(error)
  if (error instanceof ApiError) return answered(error)
  if (error instanceof OutcomeUnknownError) {
    const next = toRun(['payments', 'intents'], 'To see its outcome')
    return { exit: 'outcome_unknown', code: 'outcome_unknown', message: error.message, next }
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

function own({ exit, message, hint, next, errors, cause, paymentId }: CliError): Failure {
  const refusal = cause instanceof ApiError ? factsOf(cause) : {}
  return { exit, code: exit, message, hint, next, paymentId, ...refusal, ...(errors && { errors }) }
}

const factsOf = ({ status, errors, requestId, retryable }: ApiError) => ({ status, errors, requestId, retryable })

function answered(error: ApiError): Failure {
  const { status } = error
  const message = error.message || `The service answered ${status}.`
  const told = factsOf(error)
  if (error.doubtful) return { ...perhapsDone(withDoubt(message.replace(/\.?$/, '.'), true)), ...told }
  const [exit, next] = remedyOf(error)
  return { exit, code: exit, message, ...(typeof next === 'string' ? { hint: next } : { next }), ...told }
}

/**
 * A gateway's 404 does not mean that the service lacks the resource. Its 401 and 429 mean the same as the service's.
 */
function remedyOf({ status, fromService }: ApiError): Remedy {
  if (isUnfinished(status)) return serverFault
  return fromService || status === 401 || status === 429 ? (remedies[status] ?? rejected) : gatewayFault
}

/** Failure of a write that the service may have carried out without confirming it. */
const perhapsDone = (message: string): Failure => ({
  exit: 'outcome_unknown',
  code: 'outcome_unknown',
  message,
  next: toRun(['accounts', 'list'], 'List what exists before repeating it, for example'),
  retryable: false,
})

function unanswered({ message, retryable }: NetworkError): Failure {
  if (!retryable) return { ...perhapsDone(message), code: 'network' }
  const next = toRun(['emulate'], 'Check the base URL and the network, or work offline')
  return { exit: 'unavailable', code: 'network', message, next, retryable }
}

/** Ctrl-C at a question, or an abort. */
const isInterruption = (error: unknown): boolean =>
  error instanceof Error &&
  (['AbortError', 'ExitPromptError', 'AbortPromptError'].includes(error.name) || isHangUp(error))

/** A closed terminal fails with EIO on reads and writes, possibly before the signal arrives. */
const isHangUp = (error: Error): boolean => 'code' in error && error.code === 'EIO'

function unexpected(error: unknown): Failure {
  const message = errorMessage(error)
  if (error instanceof Error && 'syscall' in error) return { exit: 'bug', code: 'system', message }
  const hint = 'This is a bug in payctl. Run it again with PAYCTL_DEBUG=1 and report what it prints.'
  return { exit: 'bug', code: 'bug', message, hint }
}
