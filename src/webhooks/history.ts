import type { Client } from '../client/client.ts'
import { isNamed, type Named, type Payment } from '../client/received.ts'
import { InvalidRequestError, isServiceAnswer } from '../errors/service_errors.ts'

const perPage = 100

/** Maximum number of pages for one comparison: 2,000 payments. */
const mostPages = 20

/** Maximum number of payments that one comparison looks up by id. */
const mostSingle = 50

interface History {
  readonly payments: readonly Named<Payment>[]
  /** True if it goes back to the horizon. */
  readonly complete: boolean
}

/**
 * Payments created after `horizon`, and some before. If the service lists the oldest first, reads the history from its
 * end.
 */
export async function historySince(client: Client, horizon: string): Promise<History> {
  const first = await readPage(client, 1)
  const last = first.last_page || 1
  const isAscending = last > 1 && createdAt(first.data[0]) < createdAt(first.data.at(-1))
  const payments: Named<Payment>[] = []
  for (let count = 0; count < mostPages; count += 1) {
    const number = isAscending ? last - count : count + 1
    if (number < 1 || number > last) return { payments, complete: true }
    const { data } = number === 1 ? first : await readPage(client, number)
    payments.push(...data.filter(isNamed))
    if (data.every((payment) => isCreatedBy(horizon, payment))) return { payments, complete: true }
  }
  return { payments, complete: false }
}

const readPage = (client: Client, page: number) =>
  client.call('payments.history', { query: { page, per_page: perPage } })

/** NaN for a payment without a time. */
const createdAt = (payment: Payment | undefined): number => Date.parse(payment?.created_at ?? '')

export const isCreatedBy = (horizon: string, payment: Payment): boolean => createdAt(payment) <= Date.parse(horizon)

/** Looks up payments by id; calls `onMissing` with ids that the service does not know. */
export async function paymentsOf(
  client: Client,
  ids: readonly string[],
  onMissing: (id: string) => void,
): Promise<Named<Payment>[]> {
  const found: Named<Payment>[] = []
  for (const id of ids.slice(0, mostSingle)) {
    try {
      const payment = await client.call('payments.get', { params: { id } })
      found.push(isNamed(payment) ? payment : { ...payment, id })
    } catch (error) {
      if (!isMissing(error)) throw error
      onMissing(id)
    }
  }
  return found
}

/** The service may refuse an invalid id from an event with other statuses than 404. */
const isMissing = (error: unknown): boolean =>
  error instanceof InvalidRequestError || isServiceAnswer(error, 400, 404, 422)

/** The newest creation time minus `ms`; empty without payments. */
export const beforeNewest = (payments: readonly Payment[], ms: number): string => before(payments, ms, Math.max)

/** The oldest creation time minus `ms`; empty without payments. */
export const beforeOldest = (payments: readonly Payment[], ms: number): string => before(payments, ms, Math.min)

function before(payments: readonly Payment[], ms: number, pick: (one: number, other: number) => number): string {
  const times = payments.map(createdAt).filter((time) => !Number.isNaN(time))
  return times.length === 0 ? '' : new Date(times.reduce((one, other) => pick(one, other)) - ms).toISOString()
}
