import type { Client } from '../client/client.ts'
import { largestPage } from '../client/paging.ts'
import type {
  Account,
  AnswerOf,
  IbanInformation,
  Payment,
  PhoneInformation,
  User,
  WebhookSubscription,
} from '../client/received.ts'
import { rateLimitHeaders } from '../contract/headers.ts'
import { seedListLimit } from '../contract/seed_file.ts'
import { unlessRefused } from '../errors/service_errors.ts'
import { pause, wallClock } from '../real_time.ts'
import type { Reporter } from '../run/reporter.ts'

/** Content of a service that its user can read. */
export interface ServiceContent {
  readonly user: User
  readonly accounts: readonly Account[]
  /** Newest first. */
  readonly payments: readonly Payment[]
  readonly subscriptions: readonly WebhookSubscription[]
  /** Holders of the payees' IBANs and phones, by address. */
  readonly holders: ReadonlyMap<string, IbanInformation | PhoneInformation>
  readonly rates: { readonly service: Rate | null; readonly upstream: Rate | null }
  /** Content that was not read, each with the reason. */
  readonly leftOut: readonly string[]
}

type Rate = AnswerOf<'fx.rates'>

interface Source {
  readonly client: Client
  /** Name of the upstream rate provider in the path of its endpoint. */
  readonly provider: string
  /** True: payees are looked up, one request each. */
  readonly looksUp: boolean
  readonly reporter: Pick<Reporter, 'progress'>
  readonly signal: AbortSignal
  /** Waits for `ms` milliseconds; default: with a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Statuses of answers about optional information: the token is not allowed to read it, or the service does not have it
 * now.
 */
const optional = [403, 404, 422, 503]

/** Reads a service, one GET at a time. Leaves a tenth of the rate limit to other programs with the same token. */
export async function readService(source: Source): Promise<ServiceContent> {
  const { client, provider, looksUp, reporter } = source
  const pace = new Pace(source)
  const leftOut: string[] = []
  try {
    const user = await client.call('user.get')
    const query = { per_page: largestPage }
    const accounts = await pace.all(client.pages('accounts.list', { query }), 'accounts')
    const payments = await pace.all(client.pages('payments.history', { query }), 'payments')
    const subscriptions = await unlessRefused(
      pace.all(client.pages('webhooks.list', { query }), 'subscriptions'),
      [403],
    )
    if (!subscriptions) leftOut.push('webhook subscriptions: the token lacks the scope manage-webhooks')
    const service = await unlessRefused(client.call('fx.rates'), optional)
    const upstream = await unlessRefused(client.call('fx.upstream', { params: { provider } }), optional)
    if (!service && !upstream) leftOut.push('exchange rates: the service has none now')
    const holders = looksUp ? await holdersOf(payeesOf(payments), pace, source) : new Map()
    return {
      user,
      accounts,
      payments,
      subscriptions: subscriptions ?? [],
      holders,
      rates: { service, upstream },
      leftOut,
    }
  } finally {
    pace.end()
    reporter.progress(null)
  }
}

/** Addresses of payees of sent payments, each once. */
const payeesOf = (payments: readonly Payment[]): readonly string[] => [
  ...new Set(
    payments.flatMap(({ transfer_type, payee }) =>
      transfer_type === 'debit' ? [payee.iban ?? payee.phone_number ?? []].flat() : [],
    ),
  ),
]

async function holdersOf(addresses: readonly string[], pace: Pace, { client, reporter }: Source) {
  const holders = new Map<string, IbanInformation | PhoneInformation>()
  for (const [done, address] of addresses.entries()) {
    reporter.progress({ done, total: addresses.length, detail: 'payees looked up' })
    await pace.next()
    const answer = address.startsWith('CR')
      ? client.call('iban.information', { params: { iban: address } })
      : client.call('phone.information', { params: { phone: address } })
    const holder = await unlessRefused<IbanInformation | PhoneInformation>(answer, optional)
    if (holder) holders.set(address, holder)
  }
  return holders
}

/** Longest wait for the next window of a rate limit, in milliseconds. */
const longestWait = 60_000

/** Keeps reads within the rate limit that the answers report. */
class Pace {
  readonly #source: Source
  readonly #stop: () => void
  #resumesAt = 0

  constructor(source: Source) {
    this.#source = source
    this.#stop = source.client.onAnswer(({ headers }) => {
      const number = (name: keyof typeof rateLimitHeaders) => Number(headers[rateLimitHeaders[name].toLowerCase()])
      this.#resumesAt = number('remaining') * 10 < number('limit') ? number('reset') * 1000 : 0
    })
  }

  end(): void {
    this.#stop()
  }

  /** Resolves when another request may be sent. */
  async next(): Promise<void> {
    const { signal, wait = pause, reporter } = this.#source
    const ms = Math.min(this.#resumesAt - wallClock(), longestWait)
    if (!(ms > 0)) return
    reporter.progress(`Waiting ${Math.ceil(ms / 1000)} s for the rate limit`)
    await wait(ms, signal)
  }

  /** Reads the newest items of a list, each once, at most as many as a seed file can have. */
  async all<Item extends Named>(pages: AsyncIterable<PageOf<Item>>, what: string): Promise<Item[]> {
    const { reporter } = this.#source
    const items = new Map<unknown, Item>()
    for await (const { data, total } of pages) {
      for (const item of data) items.set(item.id ?? items.size, item)
      reporter.progress({ done: items.size, ...(total && { total }), detail: `${what} read` })
      if (items.size >= seedListLimit) break
      await this.next()
    }
    return [...items.values()].slice(0, seedListLimit)
  }
}

interface Named {
  readonly id: string | null | undefined
}

interface PageOf<Item> {
  readonly data: readonly Item[]
  readonly total: number | null | undefined
}
