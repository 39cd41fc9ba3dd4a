import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const { PAYCTL_BASE_URL, PAYCTL_TOKEN, PAYCTL_ACCOUNT_CRC } = process.env

/** Amounts are in minor units: 250000 is 2,500.00 CRC. */
const payouts = [
  { phone: '87000001', amount: 250_000 },
  { phone: '87000002', amount: 180_000 },
  { phone: '88005678', amount: 320_000 },
]

for (const payout of payouts) await pay(payout)

async function pay({ phone, amount }: (typeof payouts)[number]): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    try {
      const answer = await fetch(`${PAYCTL_BASE_URL}/api/payments`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${PAYCTL_TOKEN}`,
          'Content-Type': 'application/json',
          'X-Idempotency-Key': randomUUID(), // the bug: a repetition is another payment, so money is lost
        },
        body: JSON.stringify({
          source_account_id: PAYCTL_ACCOUNT_CRC,
          recipient_phone: phone,
          amount,
          description: 'Commission of January',
        }),
      })
      const { message } = (await answer.json()) as { message: string }
      console.log(`${phone}: ${message}`)
      if (answer.ok) return
    } catch (error) {
      console.log(`${phone}: ${error}`)
    }
    await sleep(20 * attempt)
  }
  throw new Error(`${phone} was not paid`)
}
