import { readdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { pid } from 'node:process'
import type { Client } from '../client/client.ts'
import { isNamed, type WebhookSubscription } from '../client/received.ts'
import { refusalStatuses } from '../contract/errors.ts'
import type { EventName } from '../contract/event_names.ts'
import { errorMessage } from '../errors/cli_error.ts'
import { ApiError, ContractError, isServiceAnswer, NetworkError, unlessRefused } from '../errors/service_errors.ts'
import { makeFolder, webhooksFolder } from '../files/directories.ts'
import { removeDrafts, replaceContent } from '../files/private_file.ts'
import { isRunning, startOf } from '../run/processes.ts'
import { digest, secretHeader } from './receiver.ts'
import { needingScope, subscriptionsOf } from './subscriptions.ts'

/** Seconds that the service waits for the answer to a delivery. */
export const deliveryTimeout = 30

/** Total number of the service's attempts to deliver an event. */
export const maximumAttempts = 3

/** Number of attempts to remove a subscription. */
const removalAttempts = 3

/** Milliseconds after which a record is deleted even if its subscription may belong to another user. */
const longestRecord = 30 * 86_400_000

/** Owner of the subscriptions that a run manages. */
export interface Owner {
  readonly stateDir: string
  readonly baseUrl: string
  /** Id of the user; empty if the service does not say. */
  readonly user: string
}

interface Settings {
  readonly owner: Owner
  /** URL to which the service delivers. */
  readonly url: string
  /** True if no other program can have a subscription with this URL. */
  readonly ownUrl: boolean
  readonly secret: string
  readonly events: readonly EventName[]
  readonly remark: (text: string) => void
  /** Called before a subscription is created, even to replace a lost subscription. */
  readonly onCreate: () => void
}

/**
 * The subscription of one tail. The record is on disk before the request that creates the subscription, so that the
 * next tail can remove the subscription after a crash.
 */
export class TemporarySubscription {
  readonly #settings: Settings
  #record: SubscriptionRecord
  #wasRequested = false

  constructor(settings: Settings) {
    const { owner, url, ownUrl, secret } = settings
    this.#settings = settings
    this.#record = newRecord({
      base_url: owner.baseUrl,
      user: owner.user,
      url,
      own_url: ownUrl,
      secret_sha256: digest(secret).toString('hex'),
    })
  }

  get id(): string | null {
    return this.#record.subscription
  }

  async create(client: Client): Promise<void> {
    const { url, events, secret, onCreate } = this.#settings
    onCreate()
    const body = {
      url,
      events: [...events],
      max_attempts: maximumAttempts,
      timeout: deliveryTimeout,
      headers: { [secretHeader]: secret },
    }
    await this.#save(null)
    const hadRequested = this.#wasRequested
    this.#wasRequested = true
    try {
      const { id } = await needingScope(client.call('webhooks.create', { body }))
      if (!id) throw new ContractError('The service made a subscription without an id.')
      await this.#save(id)
    } catch (error) {
      if (!hadRequested && isRefused(error)) this.#wasRequested = false
      throw error
    }
  }

  /**
   * Resumes a suspended subscription, or replaces a missing subscription. Returns a sentence about the change, if any.
   */
  async restore(client: Client): Promise<string | undefined> {
    const id = this.id ?? (await findSubscription(client, this.#record))
    const found = id === undefined ? null : await unlessRefused(client.call('webhooks.get', { params: { id } }), [404])
    if (id === undefined || found === null) {
      await this.create(client)
      return `The service no longer had the subscription. payctl made a new subscription: ${this.id}`
    }
    if (this.id === null) await this.#save(id)
    if (found.active !== false) return undefined
    await unlessRefused(client.call('webhooks.resume', { params: { id } }), [409])
    const why = found.suspended_reason ?? 'no reason given'
    return `The service had suspended the subscription (${why}). It is active again.`
  }

  /** Removes the subscription from the service. */
  async remove(client: Client): Promise<void> {
    const { owner } = this.#settings
    if (this.#wasRequested) await removeSubscription(client, this.#record, owner)
    else await forget(owner.stateDir, this.#record)
  }

  async #save(subscription: string | null): Promise<void> {
    this.#record = { ...this.#record, subscription }
    try {
      await remember(this.#settings.owner.stateDir, this.#record)
    } catch (error) {
      if (subscription === null) return
      const why = errorMessage(error)
      this.#settings.remark(
        `If payctl is killed, remove the subscription yourself, because it could not be recorded on this machine: ${why}`,
      )
    }
  }
}

/** Removes the subscriptions of this machine's killed tails. Returns their number. */
export async function removeLeftovers(client: Client, owner: Owner): Promise<number> {
  let removed = 0
  for (const record of await orphanedRecords(owner)) {
    if (await removeSubscription(client, record, owner)) removed += 1
  }
  return removed
}

/**
 * Removes the subscription of a record, then the record. Returns true if the subscription existed. If the record does
 * not name the user but the run does, a subscription that the service does not find may belong to another user: then
 * the record stays until it is old.
 */
async function removeSubscription(
  client: Client,
  record: SubscriptionRecord,
  { stateDir, user }: Owner,
): Promise<boolean> {
  const id = record.subscription ?? (await findSubscription(client, record))
  const existed = id !== undefined && (await deleteOnce(client, id))
  const isOld = Date.now() - Date.parse(record.since) > longestRecord
  if (existed || record.user === user || isOld) await forget(stateDir, record)
  return existed
}

/**
 * Finds a subscription by its URL and, if other programs can use this URL, by its secret: the answer with its id may
 * have been lost.
 */
async function findSubscription(client: Client, record: SubscriptionRecord): Promise<string | undefined> {
  for await (const subscription of subscriptionsOf(client)) {
    if (isNamed(subscription) && isOf(subscription, record)) return subscription.id
  }
  return undefined
}

function isOf({ url, headers }: WebhookSubscription, record: SubscriptionRecord): boolean {
  if (url !== record.url) return false
  const [, secret = null] =
    Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === secretHeader.toLowerCase()) ?? []
  return record.own_url || (secret !== null && digest(secret).toString('hex') === record.secret_sha256)
}

/** Repeats after a lost answer, because removing twice is harmless. */
async function deleteOnce(client: Client, id: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.call('webhooks.delete', { params: { id } })
      return true
    } catch (error) {
      if (isServiceAnswer(error, 404)) return false
      const mayPass = error instanceof NetworkError || (error instanceof ApiError && error.doubtful)
      if (!mayPass || attempt === removalAttempts) throw error
    }
  }
}

/** True if the service certainly did not create a subscription. */
const isRefused = (error: unknown): boolean => isServiceAnswer(error, ...refusalStatuses)

/** Record of a temporary subscription, on disk until the subscription is removed. */
interface SubscriptionRecord {
  readonly base_url: string
  /** Id of the subscription's user; empty if the service does not return it. */
  readonly user: string
  /** Id of the subscription; null until the service has returned the id. */
  readonly subscription: string | null
  readonly url: string
  /** True if no other program can have a subscription with this URL. */
  readonly own_url: boolean
  /** SHA-256 of the subscription's secret, in hex. */
  readonly secret_sha256: string
  readonly pid: number
  /** Start of the process; null if the system does not report it. Absent in records of an older payctl. */
  readonly start?: string | null
  readonly host: string
  readonly since: string
}

export const newRecord = (
  about: Pick<SubscriptionRecord, 'base_url' | 'user' | 'url' | 'own_url' | 'secret_sha256'>,
): SubscriptionRecord => ({
  ...about,
  subscription: null,
  pid,
  start: startOf(pid),
  host: hostname(),
  since: new Date().toISOString(),
})

const fileOf = (stateDir: string, { secret_sha256 }: SubscriptionRecord): string =>
  join(webhooksFolder(stateDir), `tail-${secret_sha256.slice(0, 16)}.json`)

export async function remember(stateDir: string, record: SubscriptionRecord): Promise<void> {
  makeFolder(webhooksFolder(stateDir))
  replaceContent(fileOf(stateDir, record), `${JSON.stringify(record)}\n`)
}

const forget = (stateDir: string, record: SubscriptionRecord): Promise<void> =>
  rm(fileOf(stateDir, record), { force: true }).catch(() => {})

/** Reads the records of this user's subscriptions at this service whose tail no longer runs. */
async function orphanedRecords({ stateDir, baseUrl, user }: Owner): Promise<SubscriptionRecord[]> {
  const folder = webhooksFolder(stateDir)
  removeDrafts(folder)
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => /^tail-\w+\.json$/.test(name)).map((name) => join(folder, name))
  return (await Promise.all(files.map(readRecord)))
    .filter((record) => record !== null)
    .filter((record) => isOrphaned(record) && record.base_url === baseUrl && (record.user || user) === user)
}

/** A process id is valid on only one machine or in one container. */
const isOrphaned = ({ pid: owner, start = null, host }: SubscriptionRecord): boolean =>
  host === hostname() && (owner === pid || !isRunning(owner, start))

async function readRecord(file: string): Promise<SubscriptionRecord | null> {
  try {
    const record = JSON.parse(await readFile(file, 'utf8')) as SubscriptionRecord
    return typeof record.base_url === 'string' && Number.isInteger(record.pid) ? record : null
  } catch {
    // The record was removed after the listing, or can't be read.
    return null
  }
}
