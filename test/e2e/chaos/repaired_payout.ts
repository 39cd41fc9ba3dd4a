import { setTimeout as sleep } from 'node:timers/promises'

const { PAYCTL_BASE_URL, PAYCTL_TOKEN, PAYCTL_ACCOUNT_CRC } = process.env

/** Amounts are in minor units: 250000 is 2,500.00 CRC. Each payout has its own id, which never changes. */
const payouts = [
  { id: '2026-01-ana', phone: '87000001', amount: 250_000 },
  { id: '2026-01-luis', phone: '87000002', amount: 180_000 },
  { id: '2026-01-sofia', phone: '88005678', amount: 320_000 },
]

/** The service has refused: nothing was done. */
class Refused extends Error {}

for (const payout of payouts) await pay(payout)

/**
 * Uses one key for each attempt to move money. Takes a new key only once the payment with the last key has certainly
 * moved no money.
 */
async function pay({ id, phone, amount }: (typeof payouts)[number]): Promise<void> {
  const order = {
    source_account_id: PAYCTL_ACCOUNT_CRC,
    recipient_phone: phone,
    amount,
    description: 'Commission of January',
  }
  for (let number = 1; number <= 10; number += 1) {
    const payment = await call('POST', '/api/payments', { key: `${id}-${number}`, body: order })
    const status = await end(payment.id)
    console.log(`${phone}: ${payment.id} ${status}`)
    if (status === 'completed') return
  }
  throw new Error(`${phone} was not paid`)
}

/** The final status of a payment. */
async function end(id: string): Promise<string> {
  for (;;) {
    const { status } = await call('GET', `/api/payments/${id}`)
    if (status !== 'pending' && status !== 'processing') return status
    await sleep(200)
  }
}

interface Order {
  readonly key: string
  readonly body: object
}

interface Answer {
  readonly data: { readonly id: string; readonly status: string }
  readonly message: string
}

/** Repeats a request, with its key, until an answer reports the result. */
async function call(method: string, path: string, order?: Order): Promise<Answer['data']> {
  const headers = {
    Authorization: `Bearer ${PAYCTL_TOKEN}`,
    ...(order && { 'Content-Type': 'application/json', 'X-Idempotency-Key': order.key }),
  }
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    let wait = 20 * attempt
    try {
      const body = order ? JSON.stringify(order.body) : null
      const answer = await fetch(`${PAYCTL_BASE_URL}${path}`, { method, headers, body })
      const { data, message } = (await answer.json()) as Answer
      if (answer.ok) return data
      if ([400, 401, 403, 404, 422].includes(answer.status)) throw new Refused(message)
      wait = Math.max(wait, 1000 * Number(answer.headers.get('Retry-After')))
    } catch (error) {
      if (error instanceof Refused) throw error
    }
    await sleep(wait)
  }
  throw new Error(`${method} ${path} was not answered; run this again, it repeats the same keys`)
}
