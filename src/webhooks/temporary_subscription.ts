import type { Client } from '../client/client.ts'
import { needingScope } from '../commands/webhooks/scope.ts'
import type { EventName } from '../contract/event_names.ts'
import { ApiError, ContractError } from '../errors/service_errors.ts'
import { forget, newRecord, remember, type TailRecord } from './records.ts'
import { findSubscription, removeSubscription } from './removal.ts'
import { digest, secretHeader } from './secret.ts'

interface Settings {
  readonly baseUrl: string
  readonly stateDir: string
  /** Where the service delivers. */
  readonly url: string
  /** Whether nobody else can have a subscription with this URL. */
  readonly ownUrl: boolean
  readonly secret: string
  /** Whose it is; empty where the service does not say. */
  readonly user: string
  readonly events: readonly EventName[]
  readonly note: (text: string) => void
  /** Called before every subscription that is made: its deliveries are not those of an earlier one. */
  readonly onCreate: () => void
}

/** Seconds that the service waits for the answer to a delivery, and how often it tries. */
export const deliveryTimeout = 30
const maximumAttempts = 3

/** The subscription of one tail. It is on record before it is asked for, so that no crash leaves it behind for ever. */
export class TemporarySubscription {
  readonly #settings: Settings
  #record: TailRecord
  #isAsked = false

  constructor(settings: Settings) {
    const { baseUrl, user, url, ownUrl, secret } = settings
    this.#settings = settings
    const about = { base_url: baseUrl, user, url, own_url: ownUrl, secret_sha256: digest(secret).toString('hex') }
    this.#record = newRecord(about)
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
    await this.#keep(null)
    this.#isAsked = true
    try {
      const { id } = await needingScope(client.call('webhooks.create', { body }))
      if (typeof id !== 'string' || id === '') throw new ContractError('The service made a subscription without an id.')
      await this.#keep(id)
    } catch (error) {
      if (error instanceof ApiError && !error.doubtful) this.#isAsked = false
      throw error
    }
  }

  /** Takes it up again where the service has suspended or lost it. Returns what was done, for people. */
  async restore(client: Client): Promise<string | undefined> {
    const id = this.id ?? (await findSubscription(client, this.#record))
    const found = id === undefined ? null : await client.call('webhooks.get', { params: { id } }).catch(nullIf(404))
    if (id === undefined || found === null) {
      await this.create(client)
      return `The service no longer had the subscription. There is a new one: ${this.id}`
    }
    if (this.id === null) await this.#keep(id)
    if (found.active !== false) return undefined
    await client.call('webhooks.resume', { params: { id } }).catch(nullIf(409))
    const why = found.suspended_reason ?? 'no reason given'
    return `The service had suspended the subscription (${why}). It is active again.`
  }

  /** Does nothing where there can be none. */
  async remove(client: Client): Promise<void> {
    if (this.#isAsked) await removeSubscription(client, this.#record, this.#settings.stateDir)
    else await forget(this.#settings.stateDir, this.#record)
  }

  async #keep(subscription: string | null): Promise<void> {
    this.#record = { ...this.#record, subscription }
    try {
      await remember(this.#settings.stateDir, this.#record)
    } catch (error) {
      if (subscription === null) return
      const why = (error as Error).message
      this.#settings.note(
        `If payctl is killed, remove the subscription yourself, as it cannot be put on record: ${why}`,
      )
    }
  }
}

const nullIf = (status: number) => (error: unknown) => {
  if (error instanceof ApiError && error.status === status) return null
  throw error
}
