import type { Client } from '../client/client.ts'
import { isNamed, type Payment } from '../client/received.ts'
import { normalizeIban } from '../contract/iban.ts'
import { nationalPhone, normalizePhone } from '../contract/phone.ts'
import { unlessRefused } from '../errors/service_errors.ts'
import { type Intent, isInDoubt } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { isPartOf } from '../values/text.ts'
import { type HistoryReading, HistorySearch } from './history.ts'
import { containing, matching } from './payment_filter.ts'

/** Search for a payment. */
interface Search {
  readonly text: string
  readonly client: Client
  /** Undefined if this machine has none. */
  readonly journal: Journal | undefined
  /** Maximum number of history payments to read; undefined: all. */
  readonly mostRead: number | undefined
  readonly onPage?: (reading: HistoryReading) => void
}

/** The trait that matched. Each of the first four identifies one payment, or both sides of one. */
type Trait = 'id' | 'key' | 'reference' | 'intent' | 'part of the id' | 'IBAN' | 'phone' | 'name or description'

/**
 * Limit of the journal's payments to read one by one; the history has the others. Also the limit of intents that did
 * not pay.
 */
const mostSingle = 20

/** Payments on a page: the service's maximum. */
const perPage = 1000

/** Milliseconds by which a payment may precede the date in its reference, if it had to wait. */
const longestWait = 14 * 86_400_000

/**
 * Looks for payments in this machine's journal, then in the history. Skips the history if the text identifies one
 * payment that was already found.
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

  /** Undefined if the history was not read. */
  get reading(): HistoryReading | undefined {
    return this.#reading
  }

  /** Matching intents for which the service has shown no payment. */
  get unpaid(): readonly Intent[] {
    return this.#unpaid
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Payment, void, undefined> {
    const isMarked = markOf(this.#wanted.text)
    const intents = this.#intentsThat(isMarked.ofIntent)
    let isCertain = false
    for (const { intent, mark } of intents) {
      const payment = intent.payment_id === null ? null : await this.#get(intent.payment_id)
      if (payment === null) this.#unpaid.push(intent)
      else if (this.#isNew(payment)) {
        isCertain ||= mark === 'id' || mark === 'key' || mark === 'intent'
        yield this.#counted(payment, mark)
      }
    }
    const id = fullId(this.#wanted.text)
    const named = id === undefined || this.#found.has(id) ? null : await this.#get(id)
    if (named && this.#isNew(named)) yield this.#counted(named, 'id')
    if (named || isCertain) return
    yield* this.#inHistory(isMarked.ofPayment)
  }

  async *#inHistory(markOfPayment: (payment: Payment) => Trait | undefined): AsyncGenerator<Payment, void, undefined> {
    const { text, client, mostRead, onPage } = this.#wanted
    const since = mostRead === undefined ? undefined : dateOf(text)
    const search = new HistorySearch({
      client,
      query: {},
      fits: (payment) => markOfPayment(payment) !== undefined,
      period: { since: since && since - longestWait },
      perPage,
      ...(mostRead !== undefined && { mostRead }),
      ...(onPage && { onPage }),
    })
    for await (const payment of search) {
      this.#reading = search.reading
      const mark = markOfPayment(payment)
      if (mark === undefined || !this.#isNew(payment)) continue
      yield this.#counted(payment, mark)
      // Don't stop at a rail reference: both sides of a payment between a user's own accounts share it.
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
      // Always include intents in doubt, even above the limit.
      if (room[kind] === 0 && !isInDoubt(intent)) continue
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

/** Removes spaces and dashes that people put into numbers and ids. */
const compact = (text: string): string => text.replace(/[\s\p{Pd}\p{Cf}]/gu, '').toLowerCase()

/** Minimum characters of a part of an id or key; shorter parts occur in many of them. */
const shortestPart = 5

/** Functions that return the trait an intent or payment shares with a text. */
function markOf(text: string) {
  const given = text.trim()
  const short = compact(given)
  const isNumber = /^\d+$/.test(short)
  const isDescribed = containing(given)
  const iban = normalizeIban(given)
  const hasIban = matching({ kind: 'iban', iban })
  const phone = /^\d{8,11}$/.test(normalizePhone(given)) ? nationalPhone(normalizePhone(given)) : undefined
  const hasPhone = phone === undefined ? () => false : matching({ kind: 'phone', phone })
  const isPart = (whole: string | null | undefined): boolean => {
    const other = compact(whole ?? '')
    if (short.length < shortestPart) return false
    // Digits match an id only at its start or end: digits of a reference or phone may occur in the middle of an id.
    return isNumber ? other.startsWith(short) || other.endsWith(short) : isPartOf(short, other)
  }
  const isSame = (other: string | null | undefined): boolean => other !== '' && other === given
  return {
    ofIntent({ id, idempotency_key, payment_id, reference, body }: Intent): Trait | undefined {
      if (isSame(payment_id)) return 'id'
      if (isSame(idempotency_key)) return 'key'
      if (isSame(id)) return 'intent'
      if (isPart(payment_id) || isPart(id.replace('int_', '')) || isPart(idempotency_key)) return 'part of the id'
      if (body.recipient_iban === iban) return 'IBAN'
      if (phone !== undefined && nationalPhone(body.recipient_phone ?? '') === phone) return 'phone'
      return isDescribed(`${body.description ?? ''} ${reference ?? ''}`) ? 'name or description' : undefined
    },
    ofPayment(payment: Payment): Trait | undefined {
      const { id, idempotency_key, channel_reference, sinpe_reference, payee, payer, description } = payment
      if (isSame(id)) return 'id'
      if (isSame(idempotency_key)) return 'key'
      if ([channel_reference, sinpe_reference].some((reference) => reference && reference === short)) return 'reference'
      if (isPart(id) || isPart(idempotency_key)) return 'part of the id'
      if (hasIban(payee) || hasIban(payer)) return 'IBAN'
      if (hasPhone(payee)) return 'phone'
      // Skip the user's own name: it is in every payment.
      const other = payment.transfer_type === 'credit' ? payer : payee
      return isDescribed(`${other.name ?? ''} ${description ?? ''}`) ? 'name or description' : undefined
    },
  }
}
