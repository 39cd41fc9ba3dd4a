import { isUnfinished } from '../contract/errors.ts'
import { foreign, type Said, say, Text } from '../words/text.ts'
import { CliError, errorMessage, IntentError, saidBy } from './cli_error.ts'
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

/** Report of a failed run, independent of its format. */
export interface Failure {
  readonly exit: Exit
  /** Code for scripts: more specific than the exit code. */
  readonly code: string
  readonly message: Said
  /** The next step, as text. */
  readonly hint?: Said | undefined
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

type Remedy = readonly [exit: Exit, next: NextStep]

const rejected: Remedy = ['rejected', { kind: 'change_values', fields: [] }]

const remedies: Readonly<Record<number, Remedy>> = {
  400: rejected,
  401: ['unauthenticated', { kind: 'log_in', reason: 'token_refused' }],
  403: ['forbidden', { kind: 'log_in', reason: 'scope_missing' }],
  404: ['not_found', { kind: 'check_input' }],
  409: ['conflict', { kind: 'check_state' }],
  410: ['not_found', { kind: 'create_world' }],
  422: rejected,
  429: ['rate_limited', { kind: 'wait_for_rate_limit' }],
}

const serverFault: Remedy = ['unavailable', { kind: 'read_service_status' }]

/** A gateway's answer says nothing about the request: only the service validates requests. */
const gatewayFault: Remedy = ['unavailable', { kind: 'check_gateway' }]

/** `interrupted`: true if this run was asked to stop. */
export function failureOf(error: unknown, interrupted: boolean): Failure {
  if (error instanceof IntentError) {
    const failure = failureOf(error.cause, interrupted)
    const { intentId, money } = error
    return { ...failure, intentId, ...(money !== undefined && { message: withMoney(failure.message, money) }) }
  }
  if (error instanceof CliError) return own(error)
  if (error instanceof ApiError) return answered(error)
  if (error instanceof OutcomeUnknownError) {
    const next = { kind: 'find_outcome' } as const
    return { exit: 'outcome_unknown', code: 'outcome_unknown', message: saidBy(error), next }
  }
  if (isInterruption(error) || interrupted) {
    return { exit: 'interrupted', code: 'interrupted', message: 'Interrupted.', retryable: true }
  }
  if (error instanceof NetworkError) return unanswered(error)
  if (error instanceof ContractError) {
    if (error.doubtful) return { ...perhapsDone(foreign(error.message)), code: 'contract' }
    const next = { kind: 'check_base_url' } as const
    return { exit: 'unavailable', code: 'contract', message: foreign(error.message), next }
  }
  if (error instanceof InvalidRequestError) return { exit: 'usage', code: 'usage', message: foreign(error.message) }
  return unexpected(error)
}

function own({ exit, said: message, saidHint: hint, next, saidErrors: errors, cause, paymentId }: CliError): Failure {
  const refusal = cause instanceof ApiError ? factsOf(cause) : {}
  return { exit, code: exit, message, hint, next, paymentId, ...refusal, ...(errors && { errors }) }
}

/** The message, with a clause about the money unless the message already contains one. */
function withMoney(message: Said, money: Said): Said {
  const english = String(message)
  if (/\b(Nothing was sent|[Nn]othing was taken)\b/.test(english)) return message
  const clause = typeof money === 'string' ? new Text(money) : money
  const first = typeof message === 'string' ? new Text(message) : message
  return english.endsWith('.') ? say`${first} ${clause.as('sentence')}.` : say`${first}: ${clause}`
}

const factsOf = ({ status, errors, requestId, retryable }: ApiError) => ({ status, errors, requestId, retryable })

function answered(error: ApiError): Failure {
  const { status } = error
  const message = error.message ? foreign(error.message) : say`The service answered ${status}.`
  const facts = factsOf(error)
  if (error.doubtful) return { ...perhapsDone(withDoubt(message, true)), ...facts }
  const [exit, remedy] = remedyOf(error)
  const next = remedy.kind === 'change_values' ? { ...remedy, fields: fieldsOf(error) } : remedy
  return { exit, code: exit, message, next, ...facts }
}

/**
 * A gateway's 404 does not mean that the service lacks the resource. A gateway's 401 and 429 mean the same as the
 * service's.
 */
function remedyOf({ status, fromService }: ApiError): Remedy {
  if (isUnfinished(status)) return serverFault
  return fromService || status === 401 || status === 429 ? (remedies[status] ?? rejected) : gatewayFault
}

/** Names of the fields that the service refused. */
const fieldsOf = ({ errors }: ApiError): readonly string[] =>
  typeof errors === 'string' ? [] : Object.keys(errors ?? {})

/** Failure of a write that the service may have carried out without confirming it. */
const perhapsDone = (message: Said): Failure => ({
  exit: 'outcome_unknown',
  code: 'outcome_unknown',
  message,
  next: { kind: 'list_before_repeating' },
  retryable: false,
})

function unanswered({ said: message, retryable }: NetworkError): Failure {
  if (!retryable) return { ...perhapsDone(message), code: 'network' }
  return { exit: 'unavailable', code: 'network', message, next: { kind: 'check_network' }, retryable }
}

/** True for Ctrl-C at a question, an abort, and a closed terminal. */
const isInterruption = (error: unknown): boolean =>
  error instanceof Error &&
  (['AbortError', 'ExitPromptError', 'AbortPromptError'].includes(error.name) || isHangUp(error))

/** A closed terminal fails with EIO on reads and writes, possibly before the signal arrives. */
const isHangUp = (error: Error): boolean => 'code' in error && error.code === 'EIO'

/** Node can start neither a program nor a thread, such as that of --jq, in a directory that was removed. */
const withoutDirectory: Failure = {
  exit: 'usage',
  code: 'usage',
  message: 'The current directory no longer exists.',
  hint: 'Change to a directory that exists: cd ~',
}

function unexpected(error: unknown): Failure {
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') return withoutDirectory
  const message = errorMessage(error)
  if (error instanceof Error && 'syscall' in error) return { exit: 'bug', code: 'system', message }
  const hint = 'This is a bug in payctl. Run the command again with PAYCTL_DEBUG=1, and report the output.'
  return { exit: 'bug', code: 'bug', message, hint }
}
