import type { Database } from 'better-sqlite3'
import { endedUnpaid, terminalStatuses } from '../contract/payment_names.ts'
import type { NewIntent, Principal } from './intent.ts'
import { parsed, preparedWhenUsed } from './statements.ts'

/** A payment with the facts that limits depend on. */
interface CountedPayment extends Principal {
  readonly profile: string
  readonly idempotency_key: string
  /** Base URL in which all names of this machine are replaced by one name. */
  readonly service: string
  /** Null if the account's currency could not be read. */
  readonly currency: string | null
  /** Minor units. */
  readonly amount: number
  /** IBAN or national phone number of the payee. */
  readonly payee: string
  /** Digest of the limits that admitted the payment. */
  readonly rules: string
  /** ISO time of the count; never earlier than the time of any earlier count. */
  readonly counted_at: string
  /** Calendar day in Costa Rica that the payment counts for: `2026-11-22`. */
  readonly day: string
  /** Becomes 0, so that limits ignore the payment, when it is certain that no money moved. */
  readonly counts: 0 | 1
  readonly seq: number
}

type Released = Pick<Principal, 'base_url' | 'world'> & {
  readonly user: string | null
  readonly idempotency_key: string
}

/** Payments to add up: the payments of a profile, and all payments of the profile's users at its services. */
interface CountScope {
  readonly profile: string
  readonly services: readonly string[]
  /** Null: every user of these services. Always includes payments of users that the service does not name. */
  readonly users: readonly string[] | null
  readonly world: string | null
}

interface CountedSum extends CountScope {
  readonly day: string
  readonly currency: string
  /** Only payments to this payee; null: payments to all payees. */
  readonly payee?: string | null
  /** Excludes this payment, by its `seq`. */
  readonly except?: number | null
}

interface NotedProfile {
  readonly profile: string
  readonly services: readonly string[]
}

/** A payment that is about to be recorded or sent. */
export type Admission = Pick<NewIntent, 'profile' | 'idempotency_key' | 'body' | 'base_url' | 'world'> & {
  /** Null for an intent that an older payctl recorded and that no user could claim. */
  readonly user: string | null
}

/**
 * Admits payments in the transaction that records them or marks them as sent. Throws to refuse: then nothing is
 * written. `isRepetition`: an earlier request with this key may have paid.
 */
export interface Gate {
  admit(payment: Admission, counted: CountedPayments, isRepetition: boolean): void
}

/** Runs work on the journal; a storage fault becomes an error that explains it. */
type Explained = <T>(work: () => T) => T

/**
 * The journal's records of payments that count against limits. Change them only in the transaction that records or
 * marks a payment.
 */
export class CountedPayments {
  readonly #statements: ReturnType<typeof prepare>
  readonly #explained: Explained
  readonly #database: Database

  /** @internal Keeps better-sqlite3, whose types users may lack, out of the declarations. */
  constructor(database: Database, explained: Explained) {
    this.#database = database
    this.#statements = prepare(database)
    this.#explained = explained
  }

  /** Runs `work` on one state of the journal, even while other processes write. */
  atOneMoment<T>(work: () => T): T {
    return this.#explained(() => this.#database.transaction(work).deferred())
  }

  /** Id of this journal: limits name the journal that counts their payments. */
  get journalId(): string {
    return this.#explained(() => this.#statements.identity.pluck().get() ?? '')
  }

  /** ISO time of the last counted payment. */
  get latest(): string | null {
    return this.#explained(() => this.#statements.latest.pluck().get() ?? null)
  }

  find({ idempotency_key, base_url, user, world }: Principal & { readonly idempotency_key: string }) {
    return this.#explained(() => this.#statements.find.get({ idempotency_key, base_url, user, world }))
  }

  /** Counts a payment from now on, and only once even if it is sent several times. */
  count(payment: Omit<CountedPayment, 'counts' | 'seq'>): void {
    this.#explained(() => this.#statements.count.run(payment))
  }

  /**
   * Sum of the counted payments of a day, in minor units. Payments whose currency is unknown count in every currency.
   */
  sum({ profile, services, users, world, day, currency, payee = null, except = null }: CountedSum): number {
    const scope = {
      profile,
      world,
      day,
      currency,
      services: JSON.stringify(services),
      users: users && JSON.stringify(users),
    }
    return this.#explained(() => {
      const { sumOfDay, sumOfPayee, amountOf } = this.#statements
      const sum = payee === null ? sumOfDay.pluck().get(scope) : sumOfPayee.pluck().get({ ...scope, payee })
      const excluded = except === null ? 0 : amountOf.pluck().get({ ...scope, payee, seq: except })
      return (sum ?? 0) - (excluded ?? 0)
    })
  }

  /** World of the last counted payment of a profile or at its services: probably the emulator's current world. */
  lastWorld({ profile, services }: Pick<CountScope, 'profile' | 'services'>): string | null {
    return this.#explained(
      () => this.#statements.lastWorld.pluck().get({ profile, services: JSON.stringify(services) }) ?? null,
    )
  }

  /** Payees of payments that count for a day; at most 100. */
  payees(day: string): readonly string[] {
    return this.#explained(() => this.#statements.payees.pluck().all(day))
  }

  /** Stops counting a payment that certainly moved no money. */
  release({ idempotency_key, base_url, user, world }: Released): void {
    this.#explained(() => this.#statements.release.run({ idempotency_key, base_url, user, world }))
  }

  /**
   * Counts a payment if its intent says that it may have paid, even if the payment was released before; otherwise stops
   * counting it.
   */
  recount(intent: string): void {
    this.#explained(() => this.#statements.recount.run(intent))
  }

  /** Stops counting a batch's unsent and refused rows. */
  releaseUnsent(batch: string): void {
    this.#explained(() => this.#statements.releaseUnsent.run(batch))
  }

  /** Restarts the counts: earlier payments and their times no longer matter. */
  clear(): void {
    this.#explained(() => this.#statements.clear.run())
  }

  /** Profiles that had limits when limits were last set or applied: reveals the loss of the limits file. */
  notedProfiles(): readonly NotedProfile[] {
    return this.#explained(() =>
      this.#statements.noted.all().map(({ profile, services }) => ({ profile, services: parsed<string[]>(services) })),
    )
  }

  note({ profile, services }: NotedProfile): void {
    this.#explained(() => this.#statements.note.run({ profile, services: JSON.stringify(services) }))
  }

  forget(profile: string): void {
    this.#explained(() => this.#statements.forget.run(profile))
  }
}

const unpaid = terminalStatuses
  .filter(endedUnpaid)
  .map((status) => `'${status}'`)
  .join()

const ofKey =
  "idempotency_key = :idempotency_key AND base_url = :base_url AND user = :user AND coalesce(world, '') = coalesce(:world, '')"

interface BoundScope {
  readonly profile: string | null
  readonly world: string | null
  readonly day: string | null
  readonly currency: string | null
  /** JSON. */
  readonly services: string
  /** Ids of the users, as JSON; null: every user. */
  readonly users: string | null
}

/** Condition on rows of `counted_payments` and of `counted_sums`. */
const inScope = `day = :day AND (currency = :currency OR coalesce(currency, '') = '')
       AND coalesce(world, '') = coalesce(:world, '')
       AND (profile = :profile OR (
         -- One URL may be a prefix of the other.
         EXISTS (SELECT 1 FROM json_each(:services) WHERE substr(service || '/', 1, length(value) + 1) = value || '/'
           OR substr(value || '/', 1, length(service) + 1) = service || '/')
         AND (:users IS NULL OR user GLOB 'token:*' OR user GLOB 'login:*'
           OR user IN (SELECT value FROM json_each(:users)))))`

const prepare = (database: Database) =>
  preparedWhenUsed({ ...counting(database), ...releasing(database), ...sums(database), ...profiles(database) })

const counting = (database: Database) => ({
  identity: () => database.prepare<[], string>('SELECT id FROM journal_identity'),
  latest: () => database.prepare<[], string | null>('SELECT max(counted_at) FROM counted_payments'),
  find: () =>
    database.prepare<[Principal & { readonly idempotency_key: string }], CountedPayment>(
      `SELECT seq, profile, base_url, user, world, idempotency_key, service, currency, amount, payee, rules, counted_at,
     day, counts
   FROM counted_payments WHERE ${ofKey}`,
    ),
  count: () =>
    database.prepare<[Omit<CountedPayment, 'counts' | 'seq'>]>(
      `INSERT INTO counted_payments
     (profile, base_url, user, world, idempotency_key, service, currency, amount, payee, rules, counted_at, day,
      counts)
   VALUES (:profile, :base_url, :user, :world, :idempotency_key, :service, :currency, :amount, :payee, :rules,
      :counted_at, :day, 1)
   ON CONFLICT (idempotency_key, base_url, user, coalesce(world, '')) DO UPDATE
     SET profile = excluded.profile, currency = excluded.currency, amount = excluded.amount, payee = excluded.payee,
       rules = excluded.rules, counted_at = excluded.counted_at, day = excluded.day, counts = 1`,
    ),
})

const releasing = (database: Database) => ({
  release: () => database.prepare<[Released]>(`UPDATE counted_payments SET counts = 0 WHERE ${ofKey}`),
  recount: () =>
    database.prepare<[string]>(
      `UPDATE counted_payments SET counts = may_have_paid FROM (
     SELECT counted.seq AS row, status = 'settled' AND payment_status NOT IN (${unpaid}) OR status IN ('sent', 'unknown')
       AS may_have_paid
     FROM intents JOIN counted_payments counted
       ON counted.idempotency_key = intents.idempotency_key AND counted.base_url = intents.base_url
       AND counted.user = intents.user AND coalesce(counted.world, '') = coalesce(intents.world, '')
     WHERE intents.id = ?) WHERE seq = row AND counts <> may_have_paid`,
    ),
  releaseUnsent: () =>
    database.prepare<[string]>(
      `UPDATE counted_payments SET counts = 0 WHERE counts = 1 AND EXISTS (
     SELECT 1 FROM intents WHERE intents.batch = ? AND intents.status IN ('prepared', 'rejected')
       AND intents.idempotency_key = counted_payments.idempotency_key
       AND intents.base_url = counted_payments.base_url AND intents.user = counted_payments.user
       AND coalesce(intents.world, '') = coalesce(counted_payments.world, ''))`,
    ),
  clear: () => database.prepare<[]>('DELETE FROM counted_payments'),
})

const sums = (database: Database) => ({
  sumOfDay: () =>
    database.prepare<[BoundScope], number | null>(`SELECT sum(amount) FROM counted_sums WHERE ${inScope}`),
  sumOfPayee: () =>
    database.prepare<[BoundScope & { readonly payee: string }], number | null>(
      `SELECT sum(amount) FROM counted_payments WHERE counts = 1 AND payee = :payee AND ${inScope}`,
    ),
  amountOf: () =>
    database.prepare<[BoundScope & { readonly payee: string | null; readonly seq: number }], number>(
      `SELECT amount FROM counted_payments
   WHERE seq = :seq AND counts = 1 AND (:payee IS NULL OR payee = :payee) AND ${inScope}`,
    ),
  lastWorld: () =>
    database.prepare<[{ readonly profile: string; readonly services: string }], string | null>(
      `SELECT world FROM counted_payments
   WHERE profile = :profile OR service IN (SELECT value FROM json_each(:services))
   ORDER BY counted_at DESC LIMIT 1`,
    ),
  payees: () =>
    database.prepare<[string], string>(
      'SELECT DISTINCT payee FROM counted_payments WHERE day = ? AND counts = 1 ORDER BY payee LIMIT 100',
    ),
})

const profiles = (database: Database) => ({
  noted: () =>
    database.prepare<[], { readonly profile: string; readonly services: string }>(
      'SELECT profile, services FROM limited_profiles ORDER BY profile',
    ),
  note: () =>
    database.prepare<[{ readonly profile: string; readonly services: string }]>(
      `INSERT INTO limited_profiles (profile, services) VALUES (:profile, :services)
   ON CONFLICT (profile) DO UPDATE SET services = excluded.services`,
    ),
  forget: () => database.prepare<[string]>('DELETE FROM limited_profiles WHERE profile = ?'),
})
