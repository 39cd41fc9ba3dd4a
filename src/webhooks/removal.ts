import type { Client } from '../client/client.ts'
import type { WebhookSubscription } from '../contract/index.ts'
import { ApiError, NetworkError } from '../errors/service_errors.ts'
import { forget, leftRecords, type TailRecord } from './records.ts'
import { digest, secretHeader } from './secret.ts'
import { subscriptionsOf } from './subscriptions.ts'

const attempts = 3

/** Removes the subscription of a record, and then the record. Returns whether there was one. */
export async function removeSubscription(client: Client, record: TailRecord, stateDir: string): Promise<boolean> {
  const id = record.subscription ?? (await findSubscription(client, record))
  const existed = id !== undefined && (await deleteOnce(client, id))
  await forget(stateDir, record)
  return existed
}

/** The answer to its creation was lost, or nobody lived to read it: it is known by its URL and its secret. */
export async function findSubscription(client: Client, record: TailRecord): Promise<string | undefined> {
  for await (const subscription of subscriptionsOf(client)) {
    if (isOf(subscription, record)) return subscription.id
  }
  return undefined
}

function isOf({ url, headers }: WebhookSubscription, record: TailRecord): boolean {
  if (url !== record.url) return false
  const [, secret] =
    Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === secretHeader.toLowerCase()) ?? []
  return record.own_url || (secret !== undefined && digest(secret).toString('hex') === record.secret_sha256)
}

/** Removing twice does no harm, so a lost answer is no reason to stop. */
async function deleteOnce(client: Client, id: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.call('webhooks.delete', { params: { id } })
      return true
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return false
      const passing = error instanceof NetworkError || (error instanceof ApiError && error.doubtful)
      if (!passing || attempt === attempts) throw error
    }
  }
}

/** What killed tails of this machine left at this service. Returns how many subscriptions there were. */
export async function removeLeftovers(
  client: Client,
  { stateDir, ...whose }: { readonly stateDir: string; readonly baseUrl: string; readonly user: string },
): Promise<number> {
  let removed = 0
  for (const record of await leftRecords(stateDir, whose)) {
    if (await removeSubscription(client, record, stateDir)) removed += 1
  }
  return removed
}
