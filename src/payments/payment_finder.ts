import type { Client } from '../client/client.ts'
import { largestPage } from '../client/paging.ts'
import { isNamed, type Payment } from '../client/received.ts'
import { unlessRefused } from '../errors/service_errors.ts'
import { type Intent, isInDoubt } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { type HistoryReading, HistorySearch } from './history.ts'
import { compact, type SoughtText, type Trait, traitsOf } from './payment_traits.ts'

/** Text to find payments by, and the places to search. */
interface Search extends SoughtText {
  readonly client: Client
  /** Undefined if this machine has no journal. */
  readonly journal: Journal | undefined
  /** Maximum number of payments to read from the history; undefined: all. */
  readonly mostRead: number | undefined
  readonly onPage?: (reading: HistoryReading) => void
}

/**
 * Maximum number of the journal's payments to read one by one; the others are read from the history. The same limit
 * applies to intents without a payment.
 */
const mostSingle = 20

/**
 * Traits that identify what the user looks for: after such a match in the journal, the history is not searched for the
 * text.
 */
const exact: readonly Trait[] = ['id', 'key', 'intent', 'batch']

/**
 * True if an intent matches by the name of its batch. A part of that name can also be a word of other payments, so the
 * history is read too.
 */
const isOfBatch = (mark: Trait): boolean => mark === 'batch' || mark === 'part of a batch name'

/** Milliseconds by which a payment may precede the date in its reference, if the payment had to wait. */
const longestWait = 14 * 86_400_000

/**
 * Looks for payments in this machine's journal, then in the history. Skips this search of the history if the text
 * identifies a payment or a batch that was already found.
 */
export class PaymentFinder implements AsyncIterable<Payment> {
  readonly #wanted: Search
  readonly #found = new Set<string>()
  readonly #unpaid: Intent[] = []
  #intents = 0
  #reading: HistoryReading | undefined
  readonly marks = new Map<Trait, number>()

  constructor(wanted: Search) {
    this.#wanted = wanted
  }

  /** Count of this machine's intents that were checked. */
  get intents(): number {
    return this.#intents
  }

  /** True if the search is for payments of one day. */
  get isOfDay(): boolean {
    return this.#wanted.day !== undefined
  }

  /** Extent of the history that was read; undefined if none was read. */
  get reading(): HistoryReading | undefined {
    return this.#reading
  }

  /** Matching intents for which the service has returned no payment. */
  get unpaid(): readonly Intent[] {
    return this.#unpaid
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Payment, void, undefined> {
    const traits = traitsOf(this.#wanted)
    const intents = this.#intentsThat(traits.ofIntent)
    const ofBatch = intents.filter(({ mark }) => isOfBatch(mark))
    const isWholeName = ofBatch.some(({ mark }) => mark === 'batch')
    const isOnly = intents.length === 1 && this.#wanted.mostRead !== undefined
    let isCertain = false
    for (const { intent, mark } of intents) {
      if (isOfBatch(mark) && ofBatch.length > mostSingle && intent.payment_id !== null) continue
      const payment = intent.payment_id === null ? null : await this.#get(intent.payment_id)
      if (payment === null) this.#unpaid.push(intent)
      else if (this.#isNew(payment)) {
        isCertain ||= exact.includes(mark) || (isOnly && mark === 'part of the id')
        yield this.#counted(payment, mark)
      }
    }
    const idsOfBatch = new Set(ofBatch.flatMap(({ intent }) => intent.payment_id ?? []))
    if (isWholeName && ofBatch.length > mostSingle) return yield* this.#ofBatch(idsOfBatch)
    const id = fullId(this.#wanted.text)
    const named = id === undefined || this.#found.has(id) ? null : await this.#get(id)
    if (named && this.#isNew(named)) yield this.#counted(named, 'id')
    if (named || isCertain) return
    yield* this.#inHistory(
      (payment) => traits.ofPayment(payment) ?? (idsOfBatch.has(payment.id ?? '') ? 'part of a batch name' : undefined),
    )
  }

  /** Reads the payments of a large batch from the history, until all are found. */
  async *#ofBatch(ids: ReadonlySet<string>): AsyncGenerator<Payment, void, undefined> {
    const { client, mostRead, onPage } = this.#wanted
    const search = new HistorySearch({
      client,
      query: { transfer_type: 'debit' },
      fits: ({ id }) => ids.has(id ?? ''),
      period: {},
      perPage: largestPage,
      limit: ids.size,
      ...(mostRead !== undefined && { mostRead }),
      ...(onPage && { onPage }),
    })
    for await (const payment of search) {
      this.#reading = search.reading
      yield this.#counted(payment, 'batch')
    }
    this.#reading = search.reading
  }

  async *#inHistory(markOfPayment: (payment: Payment) => Trait | undefined): AsyncGenerator<Payment, void, undefined> {
    const { text, day, client, mostRead, onPage } = this.#wanted
    const since = mostRead === undefined ? undefined : dateOf(text)
    const search = new HistorySearch({
      client,
      query: {},
      fits: (payment) => markOfPayment(payment) !== undefined,
      period: day ?? { since: since && since - longestWait },
      perPage: largestPage,
      ...(mostRead !== undefined && { mostRead }),
      ...(onPage && { onPage }),
    })
    for await (const payment of search) {
      this.#reading = search.reading
      const mark = markOfPayment(payment)
      if (mark === undefined || !this.#isNew(payment)) continue
      yield this.#counted(payment, mark)
      // Does not stop at a rail reference: both sides of a payment between a user's own accounts share one reference.
      if (mark === 'id' || mark === 'key') return
    }
    this.#reading = search.reading
  }

  #intentsThat(markOfIntent: (intent: Intent) => Trait | undefined): { intent: Intent; mark: Trait }[] {
    const { journal, client } = this.#wanted
    const found: { intent: Intent; mark: Trait }[] = []
    const room = { paid: mostSingle, unpaid: mostSingle }
    for (const intent of journal?.list({ baseUrl: client.baseUrl }) ?? []) {
      this.#intents += 1
      const mark = markOfIntent(intent)
      if (mark === undefined) continue
      const kind = intent.payment_id === null ? 'unpaid' : 'paid'
      // Includes intents in doubt even beyond the limit.
      if (!isOfBatch(mark) && room[kind] === 0 && !isInDoubt(intent)) continue
      room[kind] -= Math.sign(room[kind])
      found.push({ intent, mark })
    }
    return found
  }

  #get(id: string): Promise<Payment | null> {
    return unlessRefused(this.#wanted.client.call('payments.get', { params: { id } }), [404, 422])
  }

  #isNew(payment: Payment): boolean {
    return !isNamed(payment) || !this.#found.has(payment.id)
  }

  #counted(payment: Payment, mark: Trait): Payment {
    if (isNamed(payment)) this.#found.add(payment.id)
    this.marks.set(mark, (this.marks.get(mark) ?? 0) + 1)
    return payment
  }
}

const fullId = (text: string): string | undefined =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined

/** Milliseconds at the start of the date in a reference of 25 digits, in Costa Rica's time. */
function dateOf(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)\d{17}$/.exec(compact(text)) ?? []
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00-06:00`)
  return Number.isNaN(ms) ? undefined : ms
}
