import { formatAddress } from '../contract/iban.ts'
import { formatMoney } from '../contract/money.ts'
import { hasFailed, type Intent } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import type { StagedRows } from '../journal/staged_rows.ts'
import { grouped, linesSaid } from '../run/counts.ts'
import { localTime } from '../run/time.ts'
import { plainLetters } from '../values/text.ts'
import { type Said, say, type Text } from '../words/text.ts'
import type { Sender } from './sender.ts'

// Rows that are unusual, judged by the earlier payments in the journal: a person checks them before agreeing.

/** Kinds of unusual rows, in the order of the summary. */
const kinds = ['other_address', 'large_amount', 'paid_lately', 'new_payee'] as const

/** Rows that are unusual in one way. */
export interface UnusualRows {
  readonly kind: (typeof kinds)[number]
  readonly rows: number
  /** Lines of these rows, at most the first 20. */
  readonly lines: readonly number[]
  /** Clause for a person: `1 row pays more than twice the usual amount: line 7 (500.00, usually 100.00)`. */
  readonly text: Text
}

/** Number of newest payments to a payee that determine the usual amount. */
const mostAmounts = 12

/** Multiple of the usual amount above which an amount is unusual. */
const multiple = 2

/** Length of the recent period in milliseconds: a week, plus a day in case a weekly payment was late. */
const latePeriod = 8 * 86_400_000

/** Maximum number of lines to save for each kind. */
const mostLines = 1000

/** Earlier payments from one account to one payee. */
interface Paid {
  /** Amounts of the newest payments, in minor units. */
  readonly amounts: number[]
  /** ISO time of the last recent payment of each amount. */
  readonly lately: Map<number, string>
}

/** Earlier payments to the payees of a file, and to the names in the file. */
export class PaidBefore {
  /** Earlier payments by payee, then by account. */
  readonly #paid = new Map<string, Map<string, Paid>>()
  /** Payees by name of the holder. */
  readonly #ofName = new Map<string, Set<string>>()
  /** True if there are earlier payments: without them, no payee counts as new. */
  #hasAny = false

  /** Reads the earlier payments in the journal. Payments of the batch itself are left out. */
  static read(staged: StagedRows, batch: string, journal: Journal, sender: Sender): PaidBefore {
    const before = new PaidBefore()
    const isEarlier = (intent: Pick<Intent, 'batch' | 'status' | 'payment_status'>) =>
      intent.batch !== batch && intent.status === 'settled' && !hasFailed(intent)
    for (const intent of journal.sent(sender)) {
      before.#hasAny = isEarlier(intent)
      if (before.#hasAny) break
    }
    if (!before.#hasAny) return before
    const payees = new Set<string>()
    const names = new Set<string>()
    const nameKey = keysOfNames()
    for (const row of staged.unsent()) {
      payees.add(row.recipient)
      for (const name of row.names) names.add(nameKey(name))
    }
    const since = new Date(Date.now() - latePeriod).toISOString()
    for (const intent of journal.sent(sender)) {
      if (!isEarlier(intent)) continue
      const { body, expected_names, created_at } = intent
      const { source_account_id: source, amount, recipient_iban, recipient_phone } = body
      const payee = recipient_iban ?? recipient_phone ?? ''
      for (const { name } of expected_names ?? []) {
        const key = nameKey(name)
        if (names.has(key)) before.#ofName.set(key, (before.#ofName.get(key) ?? new Set()).add(payee))
      }
      if (!payees.has(payee)) continue
      const { amounts, lately } = before.#paidTo(payee, source)
      if (amounts.length < mostAmounts) amounts.push(amount)
      if (created_at > since && !lately.has(amount)) lately.set(amount, created_at)
    }
    return before
  }

  #paidTo(payee: string, source: string): Paid {
    const bySource = this.#paid.get(payee) ?? new Map<string, Paid>()
    this.#paid.set(payee, bySource)
    const paid = bySource.get(source) ?? { amounts: [], lately: new Map() }
    bySource.set(source, paid)
    return paid
  }

  has(payee: string): boolean {
    return this.#paid.has(payee)
  }

  /** Compares the rows with the earlier payments. */
  unusual(staged: StagedRows): readonly UnusualRows[] {
    const found = new Map(kinds.map((kind) => [kind, new Found()]))
    const fresh = new Set<string>()
    const nameKey = keysOfNames()
    for (const { line, source, recipient, amount, names } of staged.unsent()) {
      const other = this.#otherAddress(names, recipient, nameKey)
      const paid = this.#paid.get(recipient)?.get(source)
      const usual = median(paid?.amounts ?? [])
      const date = paid?.lately.get(amount)
      if (other) found.get('other_address')?.add(line, say`${other.name}, before at ${formatAddress(other.payee)}`)
      else if (this.#hasAny && !this.has(recipient) && !fresh.has(recipient)) {
        fresh.add(recipient)
        found.get('new_payee')?.add(line)
      }
      if (usual !== undefined && amount > usual * multiple)
        found.get('large_amount')?.add(line, say`${money(amount)}, usually ${money(usual)}`)
      if (date !== undefined) found.get('paid_lately')?.add(line, say`on ${localTime(date).slice(0, 10)}`)
    }
    return [...found].flatMap(([kind, rows]) => (rows.count > 0 ? rows.toUnusual(kind) : []))
  }

  /** Another payee that was paid under one of these names, if this payee was never paid under that name. */
  #otherAddress(names: readonly string[], payee: string, nameKey: (name: string) => string) {
    for (const name of names) {
      const known = this.#ofName.get(nameKey(name))
      const [other] = known ?? []
      if (known && other !== undefined && !known.has(payee)) return { name, payee: other }
    }
    return undefined
  }
}

/** Rows of one kind. */
class Found {
  count = 0
  readonly #lines: number[] = []
  /** Detail of the first row. */
  #detail: Said | undefined

  add(line: number, detail?: Said): void {
    this.count += 1
    this.#detail ??= detail
    if (this.#lines.length < mostLines) this.#lines.push(line)
  }

  toUnusual(kind: UnusualRows['kind']): UnusualRows {
    const which = this.count > this.#lines.length ? say`from line ${this.#lines[0] ?? 0} on` : linesSaid(this.#lines)
    const { one, several } = words[kind]
    const rows = this.count === 1 ? one : several(grouped(this.count))
    const detail = this.#detail
    const text =
      detail === undefined
        ? say`${rows}: ${which}`
        : this.count === 1
          ? say`${rows}: ${which} (${detail})`
          : say`${rows}: ${which} (the first: ${detail})`
    return { kind, rows: this.count, lines: this.#lines.slice(0, 20), text }
  }
}

const words: Readonly<Record<UnusualRows['kind'], { one: Text; several: (count: string) => Text }>> = {
  other_address: {
    one: say`1 row pays a known payee at a different account or phone`,
    several: (count) => say`${count} rows pay a known payee at a different account or phone`,
  },
  large_amount: {
    one: say`1 row pays more than twice the usual amount`,
    several: (count) => say`${count} rows pay more than twice the usual amount`,
  },
  paid_lately: {
    one: say`1 row repeats a payee and amount of the last 8 days`,
    several: (count) => say`${count} rows repeat a payee and amount of the last 8 days`,
  },
  new_payee: {
    one: say`1 payee has never been paid before`,
    several: (count) => say`${count} payees have never been paid before`,
  },
}

/**
 * Returns a function that maps a name to a key: equal for the same words in any order, ignoring case and accents.
 * Remembers the keys.
 */
function keysOfNames(): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    const key =
      known.get(name) ??
      plainLetters(name)
        .split(/[^\p{L}\p{N}]+/u)
        .filter(Boolean)
        .toSorted()
        .join(' ')
    known.set(name, key)
    return key
  }
}

function median(amounts: readonly number[]): number | undefined {
  return amounts.toSorted((one, other) => one - other)[Math.floor((amounts.length - 1) / 2)]
}

const money = (minor: number): string => formatMoney(minor, '').trim()
