import { statSync } from 'node:fs'
import type { Client } from '../client/client.ts'
import { normalizeIban } from '../contract/iban.ts'
import type { SendPaymentBody } from '../contract/index.ts'
import { nationalPhone, normalizePhone } from '../contract/phone.ts'
import { CliError, reasonOf } from '../errors/cli_error.ts'
import { unlessRefused } from '../errors/service_errors.ts'
import { limitsFile } from '../files/directories.ts'
import type { Admission, CountedPayments, Gate } from '../journal/counted_payments.ts'
import {
  dayOf,
  type JudgedPayment,
  limitedCurrencies,
  needsTyping,
  type ProfileLimits,
  type Refusal,
  refusalOf,
} from './limits.ts'
import { type LimitsFile, readLimits } from './limits_file.ts'
import {
  goneLimits,
  LimitError,
  needsAPerson,
  otherJournal,
  type Refused,
  type RefusedFacts,
  usedKey,
} from './refusals.ts'
import {
  type Counted,
  holdFor,
  nothingUsed,
  type Payer,
  PlannedSums,
  reaches,
  serviceOf,
  timeOf,
  usedOf,
} from './used.ts'

/** True if the profile, or another profile for the same service, is marked as live. */
export const isLive = (configDir: string, profile: string, baseUrl: string): boolean =>
  readLimits(configDir).profiles.some((one) => one.live && (one.profile === profile || reaches(one.services, baseUrl)))

/**
 * Checks one user's payments against the limits that the limits file contains at the moment of the check. The journal
 * calls the guard in the transaction that records a payment or marks it as sent, so that parallel processes can't both
 * use what is left of a limit.
 */
export class Guard implements Gate {
  readonly #configDir: string
  readonly #limitsFile: string
  readonly #payer: Payer
  /** Currencies by account id; null if the service does not return the account. */
  readonly #currencies = new Map<string, string | null>()
  /** The file as last read, and a version that changes when the file is replaced. */
  #read: { readonly version: string; readonly file: LimitsFile } | undefined
  #onRefusal: (refused: Refused) => void = () => {}
  #noted: ReturnType<CountedPayments['notedProfiles']> | undefined

  constructor(configDir: string, payer: Payer) {
    this.#configDir = configDir
    this.#limitsFile = limitsFile(configDir)
    this.#payer = payer
  }

  /** Calls `listener` with each refusal. */
  onRefusal(listener: (refused: Refused) => void): void {
    this.#onRefusal = listener
  }

  /** Reports a refusal and returns its error for the caller to throw. */
  reported(error: CliError, facts: RefusedFacts = {}): CliError {
    const { profile, base_url: service, user } = this.#payer
    const unknown = { amount: null, currency: null, payee: null, key: null }
    this.#onRefusal({ ...unknown, ...facts, profile, service, user, what: String(reasonOf(error)) })
    return error
  }

  /** Currency of an account; null if it is unknown or not read yet. */
  currencyOf(source: string): string | null {
    return this.#currencies.get(source) ?? null
  }

  /** The limits that apply to this payer now. */
  inForce(): readonly ProfileLimits[] {
    return this.#file().profiles.filter((limits) => holdFor(limits, this.#payer))
  }

  /**
   * Throws `fault` if limits apply to this payer, and another error if limits are lost. Call this method for requests
   * that limits can't judge.
   */
  requireNone(counted: Counted, fault: CliError, facts: RefusedFacts): void {
    this.#reporting(facts, () => {
      this.#requireNoneGone(this.#file(), counted)
      if (this.inForce().length > 0) throw fault
    })
  }

  /**
   * Loads the currencies of accounts if limits depend on them. Call this method before payments from these accounts are
   * judged.
   */
  async learn(sources: Iterable<string>, client: Client): Promise<void> {
    if (!this.inForce().some((limits) => limitedCurrencies(limits).length > 0 || limits.confirm_above)) return
    for (const id of new Set(sources)) {
      if (!this.#currencies.has(id)) this.#currencies.set(id, await currencyOf(id, client))
    }
  }

  /** Throws if a person must type one of the sums, because this run can't ask. */
  requireNoTyping(sums: readonly Omit<JudgedPayment, 'payee'>[], facts: RefusedFacts = {}): void {
    const sum = sums.find((one) => this.needsTyping(one))
    if (sum) throw this.reported(needsAPerson(this.#payer.profile, sum), { ...sum, ...facts })
  }

  /** True if a person must type the sum. */
  needsTyping(sum: Omit<JudgedPayment, 'payee'>): boolean {
    return this.inForce().some((limits) => needsTyping(limits, sum))
  }

  /** Used part of each daily limit that applies to a payment, in minor units. */
  today(body: SendPaymentBody, counted: Counted) {
    const asked = this.#asked(body)
    const at = timeOf(counted)
    return this.inForce().flatMap((limits) => {
      const { currency } = asked
      const limit = currency === null ? undefined : limits.per_day?.[currency]
      if (currency === null || limit === undefined) return []
      const used = usedOf(counted, { limits, payer: this.#payer, at, except: undefined, asked }).day(currency)
      return [{ profile: limits.profile, used, limit, currency }]
    })
  }

  admit(admission: Admission, counted: CountedPayments, isRepetition: boolean): void {
    const facts = { ...this.#asked(admission.body), key: admission.idempotency_key }
    this.#reporting(facts, () => this.#judge(admission, counted, isRepetition))
  }

  #judge({ body, idempotency_key }: Admission, counted: CountedPayments, isRepetition: boolean): void {
    const file = this.#file()
    this.#requireNoneGone(file, counted)
    const held = file.profiles.filter((limits) => holdFor(limits, this.#payer))
    if (held.length === 0) return
    const { profile, base_url, user, world } = this.#payer
    const key = { idempotency_key, base_url, user, world }
    const known = counted.find(key)
    const asked = this.#asked(body)
    const at = timeOf(counted)
    // A payment that may already have been made counts for the day on which it was sent.
    if (isRepetition && known?.counts) {
      refuseReadOnly(held, at)
      return
    }
    requireJournal(file, held, counted)
    if (known?.counts && !isSame(known, asked)) throw usedKey(idempotency_key)
    const isJudged = known?.counts && known.day === dayOf(at) && known.rules === file.digest
    for (const limits of held) {
      const used = isJudged
        ? nothingUsed
        : usedOf(counted, { limits, payer: this.#payer, at, except: known?.seq, asked })
      const refusal = refusalOf(limits, isJudged ? { ...asked, amount: 0 } : asked, { used, at })
      if (refusal) throw new LimitError(limits.profile, refusal, at)
    }
    if (isJudged) return
    counted.count({
      ...key,
      ...asked,
      profile,
      service: serviceOf(base_url),
      rules: file.digest,
      counted_at: new Date(at).toISOString(),
      day: dayOf(at),
    })
    this.#note(held, counted)
  }

  /**
   * Yields, in order, the rows that limits would forbid if all rows were paid today, each with the reason. Counts
   * nothing. A row that is recorded but unsent counts already, and is not counted again.
   */
  *refused<Row extends Pick<Admission, 'body' | 'idempotency_key'>>(
    rows: Iterable<Row>,
    counted: Counted,
  ): Generator<{ readonly row: Row; readonly error: LimitError }, void> {
    const held = this.#reporting({}, () => {
      const file = this.#file()
      this.#requireNoneGone(file, counted)
      const profiles = file.profiles.filter((limits) => holdFor(limits, this.#payer))
      requireJournal(file, profiles, counted)
      return profiles
    })
    if (held.length === 0) return
    const at = timeOf(counted)
    const planned = new PlannedSums()
    for (const row of rows) {
      const asked = this.#asked(row.body)
      const { isCounted, error } = counted.atOneMoment(() => this.#judgePlanned(row, { held, counted, at, planned }))
      if (error) {
        this.reported(error, { ...asked, key: row.idempotency_key })
        yield { row, error }
      } else if (!isCounted) planned.add(asked)
    }
  }

  #judgePlanned(
    { body, idempotency_key }: Pick<Admission, 'body' | 'idempotency_key'>,
    { held, counted, at, planned }: Planned,
  ): { readonly isCounted: boolean; readonly error?: LimitError } {
    const asked = this.#asked(body)
    const { base_url, user, world } = this.#payer
    const known = counted.find({ idempotency_key, base_url, user, world })
    const own = known?.counts && known.day === dayOf(at) ? known.seq : undefined
    const isCounted = own !== undefined
    for (const limits of held) {
      const used = planned.with(usedOf(counted, { limits, payer: this.#payer, at, except: own, asked }), asked)
      const refusal = refusalOf(limits, asked, { used, at })
      if (refusal) return { isCounted, error: new LimitError(limits.profile, refusal, at) }
    }
    return { isCounted }
  }

  #reporting<Result>(facts: RefusedFacts, judge: () => Result): Result {
    try {
      return judge()
    } catch (error) {
      throw error instanceof CliError ? this.reported(error, facts) : error
    }
  }

  #asked(body: SendPaymentBody): JudgedPayment {
    const { amount, source_account_id: source } = body
    return { amount, currency: this.currencyOf(source), payee: payeeOf(body) }
  }

  #file(): LimitsFile {
    const version = versionOf(this.#limitsFile)
    if (this.#read?.version !== version) this.#read = { version, file: readLimits(this.#configDir) }
    return this.#read.file
  }

  /** A missing file or profile does not mean that payments have no limits. */
  #requireNoneGone({ profiles }: LimitsFile, counted: Counted): void {
    const lost = () =>
      this.#noted
        ?.filter(({ profile }) => !profiles.some((limits) => limits.profile === profile))
        .find((noted) => holdFor({ ...noted, users: null }, this.#payer))
    this.#noted ??= counted.notedProfiles()
    if (!lost()) return
    this.#noted = counted.notedProfiles() // a person may have removed the limits since the last read
    const gone = lost()
    if (gone) throw goneLimits(gone.profile, this.#limitsFile)
  }

  #note(held: readonly ProfileLimits[], counted: CountedPayments): void {
    const unnoted = held.filter(({ profile }) => !this.#noted?.some((noted) => noted.profile === profile))
    for (const limits of unnoted) counted.note(limits)
    if (unnoted.length > 0) this.#noted = undefined
  }
}

/** Sums of the rows before the row to judge, and the limits that apply to all rows. */
interface Planned {
  readonly held: readonly ProfileLimits[]
  readonly counted: Counted
  readonly planned: PlannedSums
  readonly at: number
}

/** Version of a file; changes whenever the file is replaced. */
function versionOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats ? `${stats.ino} ${stats.mtimeNs} ${stats.size}` : 'none'
}

async function currencyOf(id: string, client: Client): Promise<string | null> {
  const account = await unlessRefused(client.call('accounts.get', { params: { id } }), [403, 404, 422])
  return account?.balance.currency ?? null
}

/** The payee in a form to compare, because a raw request may use any notation. */
const payeeOf = ({ recipient_iban, recipient_phone }: SendPaymentBody): string => {
  const phone = typeof recipient_phone === 'string' ? nationalPhone(normalizePhone(recipient_phone)) : ''
  return `${typeof recipient_iban === 'string' ? normalizeIban(recipient_iban) : ''}${phone}`
}

const isSame = (one: JudgedPayment, other: JudgedPayment): boolean =>
  one.amount === other.amount && one.currency === other.currency && one.payee === other.payee

function refuseReadOnly(held: readonly ProfileLimits[], at: number): void {
  const readOnly = held.find(({ read_only }) => read_only)
  const refusal: Refusal = { kind: 'read_only' }
  if (readOnly) throw new LimitError(readOnly.profile, refusal, at)
}

/** Throws if the limits are counted in another journal: this journal would start at zero. */
function requireJournal({ journal }: LimitsFile, held: readonly ProfileLimits[], counted: Counted): void {
  const counting = held.find(({ per_day, per_payee_day }) => per_day || per_payee_day)
  if (counting && journal !== undefined && journal !== counted.journalId) throw otherJournal(counting.profile)
}
