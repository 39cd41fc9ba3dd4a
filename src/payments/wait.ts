import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../client/client.ts'
import type { Payment, PaymentStatus } from '../contract/index.ts'
import { terminalStatuses } from '../contract/terminal_statuses.ts'
import { CliError } from '../errors/cli_error.ts'

interface Watch {
  readonly client: Client
  readonly signal: AbortSignal
  /** Milliseconds, whatever a request under way still wants to do. */
  readonly timeout: number
}

/** Milliseconds between two looks: soon at first, as most payments take seconds. */
const firstPause = 250
const longestPause = 2000

/** A payment as it is now, and again whenever its status has changed, until it has ended or the time is up. */
export async function* statusChanges(id: string, { client, signal, timeout }: Watch): AsyncGenerator<Payment, void> {
  const deadline = AbortSignal.timeout(timeout)
  const stop = AbortSignal.any([signal, deadline])
  const stopped = new Promise<never>((_, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason), { once: true })
  })
  stopped.catch(() => {}) // nobody waits for it between two looks
  let status: PaymentStatus | undefined
  try {
    for (let ms = firstPause; ; ms = Math.min(ms * 2, longestPause)) {
      signal.throwIfAborted()
      const payment = await Promise.race([client.call('payments.get', { params: { id } }), stopped])
      // A service may send something else than it promises: the id is the one that was asked for.
      if (payment.status !== status) yield { ...payment, id }
      status = payment.status
      if (hasEnded(status)) return
      await pause(ms, undefined, { signal: stop })
    }
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
  }
}

const hasEnded = (status: PaymentStatus | undefined): boolean => terminalStatuses.some((end) => end === status)

interface Last {
  readonly id: string
  /** Missing when there was no answer in time. */
  readonly status?: PaymentStatus
  readonly error_message?: string | null
}

/** Exit 8 for a payment that ended otherwise, 9 for one that has not ended; `watching` is how to go on waiting. */
export function requireCompleted(payment: Last, watching: string): void {
  const { id, error_message } = payment
  // A service may send something else than it promises.
  const status = typeof payment.status === 'string' ? payment.status : undefined
  if (status === 'completed') return
  if (!hasEnded(status)) {
    const state =
      status === undefined
        ? `The status of payment ${id} could not be read in time`
        : `Payment ${id} is still ${status}: the time to wait ran out`
    throw new CliError('payment_in_progress', `${state}.`, watching)
  }
  const why = typeof error_message === 'string' && error_message !== '' ? `: ${error_message}` : ''
  throw new CliError('payment_unsuccessful', `Payment ${id} ended as ${status}${why}`, `payctl payments get ${id}`)
}
