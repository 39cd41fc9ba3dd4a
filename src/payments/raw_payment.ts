import type { Answer, RawAnswer, RawRequest } from '../client/client.ts'
import { decode } from '../client/decode.ts'
import type { InitiatedPayment } from '../client/received.ts'
import { wireTable } from '../contract/wire_table.ts'
import type { Order } from '../journal/intent.ts'
import type { PaymentOptions, PaymentOutcome } from './payment_session.ts'
import { sendPayment } from './send.ts'

interface RawOutcome {
  readonly outcome: PaymentOutcome
  /** The raw answer to the request; undefined if none was sent or answered. */
  readonly answer: RawAnswer | undefined
}

/**
 * Sends the payment of a raw request: the intent has the order's key and body, the request its own path and headers.
 */
export async function sendRawPayment(order: Order, request: RawRequest, options: PaymentOptions): Promise<RawOutcome> {
  let answer: RawAnswer | undefined
  const outcome = await sendPayment(order, {
    ...options,
    async request({ body }) {
      answer = await options.client.raw({ ...request, body })
      if (answer.error) throw answer.error
      return initiated(answer)
    },
  })
  return { outcome, answer }
}

/** The payment in a success answer. */
function initiated({ text, status, headers }: RawAnswer): Answer<InitiatedPayment> {
  const { data } = decode(
    JSON.parse(text).data,
    wireTable['payments.create'].success.data as Parameters<typeof decode>[1],
  )
  return { data: data as InitiatedPayment, status, message: '', headers }
}
