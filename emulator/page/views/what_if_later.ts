import type { ControlOutputOf, LoggedRequest } from '../../../src/contract/index.ts'
import { control } from '../frame/api.ts'
import { asSent } from './request_commands.ts'
import { sendAs } from './send_again.tsx'

type Request = ControlOutputOf<'control.requests.get'>

/** Maximum number of later requests that are sent to a fork. */
export const mostLater = 200

/** Ids of payments in this world, mapped to the ids of the payments that the same requests made in the fork. */
export type PaymentIds = Map<string, string>

/** `sent`: number of requests sent to a fork; `unknown`: number not sent, because the log lacks their content. */
export interface Later {
  sent: number
  unknown: number
}

/**
 * Sends the requests after `id` to a fork, with the fork's payment ids. They are sent in order, each at its time, or
 * immediately if the fork's clock is already later.
 */
export async function sendLater(id: string, base: string, ids: PaymentIds): Promise<Later> {
  const later: Later = { sent: 0, unknown: 0 }
  for (const { id: number, at } of await requestsAfter(id)) {
    const request = await control('control.requests.get', { params: { id: number } })
    if (!isWhole(request)) {
      later.unknown += 1
      continue
    }
    const { now } = await control('control.clock.get', {}, { base })
    if (Date.parse(now) < Date.parse(at)) await control('control.clock.set', { body: { time: at } }, { base })
    const { method, path, key } = asSent(request)
    const body = request.body === undefined ? '' : JSON.stringify(request.body)
    const answer = await sendAs(
      { method, user: request.user, path: withIdsOf(ids, path), key: key ?? '', body: withIdsOf(ids, body) },
      base,
    )
    await learn(ids, request.payment_id, answer)
    later.sent += 1
  }
  return later
}

async function requestsAfter(id: string): Promise<readonly LoggedRequest[]> {
  const found: LoggedRequest[] = []
  let since = Number(id.slice(1))
  for (;;) {
    const { data, last } = await control('control.requests.list', { query: { since, per_page: 100 } })
    found.push(...data)
    if (data.length === 0 || found.length >= mostLater) return found.slice(0, mostLater)
    since = last
  }
}

/** True if the log contains the whole request: the request contained no secrets, and its body was not too long. */
function isWhole({ endpoint, body }: Request): boolean {
  if (body === undefined) return !endpoint?.endsWith('.create')
  return !endpoint?.startsWith('oauth.') && !JSON.stringify(body).includes('"***"')
}

/** Notes the id of the payment in an answer of the fork, under the id that the payment has in this world. */
export async function learn(ids: PaymentIds, payment: string | null, answer: Response | null): Promise<void> {
  if (payment === null || !answer?.ok) return
  const content = await answer.json().catch(() => null) // a fault may have cut the answer
  const other: unknown = content?.data?.id
  if (typeof other === 'string') ids.set(payment, other)
}

/** Replaces the ids of payments in a text with their ids in the fork. */
const withIdsOf = (ids: PaymentIds, text: string): string =>
  text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (id) => ids.get(id.toLowerCase()) ?? id)
