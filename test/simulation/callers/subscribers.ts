import type { Client } from '../../../src/client/client.ts'
import { eventNames } from '../../../src/contract/index.ts'
import { ApiError } from '../../../src/errors/service_errors.ts'

// Operations of callers on subscriptions.

export async function subscribe(client: Client, receiver: number): Promise<void> {
  const url = `http://127.0.0.1:${5000 + receiver}/events`
  await client.call('webhooks.create', { body: { url, events: [...eventNames], max_attempts: 3, timeout: 5 } })
}

/** The service refuses to suspend a subscription that another caller has suspended or removed meanwhile. */
export async function suspendAll(client: Client): Promise<void> {
  for await (const { id } of client.items('webhooks.list')) {
    if (!id) continue
    await client.call('webhooks.suspend', { params: { id }, body: {} }).catch((error) => {
      if (!(error instanceof ApiError)) throw error
    })
  }
}
