import { type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { createClient } from '../../../src/client/index.ts'
import type { EventName, InputOf } from '../../../src/contract/index.ts'

export const crc = '01900000-0000-7000-8000-0000000000c1'

/** An emulator whose payments move only with the clock, and its client. */
export async function world(options: EmulatorOptions = {}) {
  const faults: unknown[] = []
  const emulator = await startEmulator({
    settle: 'manual',
    clock: 'running',
    onFault: (error) => faults.push(error),
    ...options,
  })
  const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token, retries: 0, strict: true })
  let sent = 0
  return {
    emulator,
    client,
    faults,
    pay: (to = '87000001', amount = 100) =>
      client.call('payments.create', {
        headers: { 'X-Idempotency-Key': `payment-${++sent}` },
        body: { source_account_id: crc, amount, recipient_phone: to },
      }),
    subscribe: (url: string, events: EventName[], body: Partial<InputOf<'webhooks.create'>['body']> = {}) =>
      client.call('webhooks.create', { body: { url, events, ...body } }),
    subscription: (id: string) => client.call('webhooks.get', { params: { id } }),
    advance: (seconds: number) => emulator.control.advanceClock(seconds * 1000),
    async [Symbol.asyncDispose]() {
      await client.close()
      await emulator.close()
    },
  }
}

export const allPaymentEvents: EventName[] = [
  'payment.created',
  'payment.processing',
  'payment.completed',
  'payment.failed',
]
