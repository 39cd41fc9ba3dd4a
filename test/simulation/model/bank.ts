import type { Channel, Currency, PaymentStatus } from '../../../src/contract/index.ts'
import { Free, text } from './matching.ts'
import {
  type Account,
  anyOrNull,
  documentType,
  type Holder,
  known,
  type Made,
  type Payment,
  type Stage,
  type Start,
  stagesOf,
  statusOf,
  time,
  total,
  type User,
} from './records.ts'
import {
  Amounts,
  isChannelReference,
  isOneOf,
  isOwnIban,
  isRailReference,
  isTimestamp,
  isUuid,
  timestamp,
} from './values.ts'

/** The service's books: balances, and payments under way. */
export class Bank {
  readonly users: readonly User[]
  readonly accounts: Account[] = []
  /** Payments in order of creation, as far as the model knows it. */
  readonly payments: Payment[] = []
  /** Holders at other banks, by IBAN or phone. */
  readonly registry = new Map<string, Holder>()
  readonly fees = { pin: 100, pin_usd: 100, sinpe_movil: 0 }
  readonly rails: Record<Channel, boolean> = { pin: true, sinpe_movil: true }
  readonly settleMs: number
  readonly lateMs: number
  /** Lifetime of an idempotency key, in milliseconds. */
  readonly keyTtl: number
  /** Start of the service's current run, in epoch milliseconds. */
  upSince = 0
  readonly #open = new Set<Payment>()
  readonly #taken = new Set<unknown>()

  constructor({ seed, settleMs, lateMs = 0, keyTtl = Number.POSITIVE_INFINITY }: Start) {
    this.settleMs = settleMs
    this.lateMs = lateMs
    this.keyTtl = keyTtl
    Object.assign(this.fees, seed.fees)
    Object.assign(this.rails, seed.rails)
    this.users = (seed.users ?? []).map((user) => ({
      id: user.id ?? '',
      name: user.name,
      email: known(user.email, /@/),
      phone: user.phone ?? null,
      document: known(user.document_number, /^\w{6,19}$/),
      documentType: documentType(user.document_type),
      verifiedAt: new Free('a time or null', (value) => value === null || isTimestamp(value)),
      createdAt: time(),
      updatedAt: time(),
    }))
    for (const { id, user: owner, currency = 'CRC', balance = 0, status = 'active' } of seed.accounts ?? []) {
      const user = this.users.find(({ id }) => id === owner) ?? (this.users[0] as User)
      const account = { ...this.makeAccount(user, currency, time()), updatedAt: time(), status, settled: balance }
      account.id.value = id
      this.accounts.push(account)
    }
    for (const { iban, phone, ...entry } of seed.registry ?? []) {
      this.registry.set(iban ?? phone ?? '', {
        name: entry.name,
        document: known(entry.document_number, /^\w{6,19}$/),
        documentType: documentType(entry.document_type),
        currency: entry.currency ?? 'CRC',
        outcome: entry.outcome ?? 'completed',
        stateCode: entry.state_code ?? null,
        account: null,
      })
    }
  }

  /** Returns an account that a user may open, without adding it to `accounts`. */
  makeAccount(user: User, currency: Currency, createdAt: Free): Account {
    return {
      id: new Free('a UUID', isUuid, this.#taken),
      user,
      iban: new Free('an IBAN of the service', isOwnIban(currency), this.#taken),
      currency,
      status: 'active',
      sure: true,
      settled: 0,
      createdAt,
      updatedAt: createdAt,
    }
  }

  /** Holder of an address; a phone of this bank leads to the owner's oldest active account in CRC. */
  holder(address: string): Holder | undefined {
    const elsewhere = this.registry.get(address)
    if (elsewhere) return elsewhere
    const account = this.accounts.find(({ iban, user, currency, status }) =>
      user.phone === address ? currency === 'CRC' && status === 'active' : iban.value === address,
    )
    if (!account) return undefined
    const { user, currency, status } = account
    const outcome = status === 'active' ? 'completed' : 'failed'
    const stateCode = status === 'active' ? null : status === 'closed' ? 'account_closed' : 'account_blocked'
    const { name, document, documentType } = user
    return { name, document, documentType, currency, outcome, stateCode, account }
  }

  /** Available money in minor units, without money held for payments under way. */
  available(account: Account, now: number): Amounts {
    let sure = account.settled
    const maybe: number[] = []
    for (const payment of this.#open) {
      const ends = payment.stages.slice(payment.stage, this.#last(payment, now) + 1).map(({ status }) => status)
      if (payment.account === account) {
        if (!payment.sure) maybe.push(-total(payment))
        else {
          sure -= total(payment)
          if (ends.some(isReleased)) maybe.push(total(payment))
        }
      }
      if (payment.payeeAccount === account && ends.includes('completed')) maybe.push(payment.amount)
    }
    return new Amounts(sure, maybe)
  }

  /** Returns a payment that the service may accept now; `add` adds the payment to the books. */
  make(made: Made, now: number): Payment {
    const { channel, account, railOnline = true } = made
    const stages = railOnline
      ? stagesOf(made.outcome, now, this.settleMs)
      : [{ status: 'service_unavailable' as const, at: now }]
    const madeAt = [now]
    return {
      ...made,
      user: account.user,
      type: 'debit',
      stages,
      stage: 0,
      placed: true,
      madeAt,
      id: new Free('a UUID', isUuid, this.#taken),
      reference: new Free('a channel reference', isChannelReference(channel, madeAt), this.#taken),
      railReference: new Free('a SINPE reference', isRailReference(channel, now), this.#taken),
      createdAt: new Free('a possible time', isOneOf(madeAt)),
      submittedAt: time(stages[1]?.at),
      completedAt: time(stages[2]?.at),
      origin: null,
      receipt: null,
    }
  }

  /** Adds an accepted payment; with a settlement time of 0 it also ends. */
  add(payment: Payment): void {
    this.payments.push(payment)
    const last = payment.stages.length - 1
    if (payment.stage < last) this.#open.add(payment)
    if (this.settleMs === 0 && payment.sure) this.reach(payment, last)
  }

  /** Forgets a payment, as if it had never been made or received. */
  forget(payment: Payment): void {
    this.#open.delete(payment)
    if (payment.receipt) this.payments.splice(this.payments.indexOf(payment.receipt), 1)
    this.payments.splice(this.payments.indexOf(payment), 1)
  }

  /** Credits money from another bank. */
  credit(account: Account, { channel, amount }: { channel: Channel; amount: number }, now: number): Payment {
    account.settled += amount
    const name = new Free('a name', text(/./))
    const payer = {
      name,
      document: known(undefined, /./),
      documentType: documentType(),
      iban: anyOrNull(),
      phone: anyOrNull(),
    }
    const made = this.make({ ...this.#received(account, channel), amount, payer, sure: true, railOnline: false }, now)
    const { createdAt } = made
    const stages: Stage[] = [{ status: 'completed', at: now }]
    const payment: Payment = { ...made, type: 'credit', stages, submittedAt: createdAt, completedAt: createdAt }
    this.add(payment)
    return payment
  }

  #received(account: Account, channel: Channel) {
    const { user, iban } = account
    const { name, document, documentType } = user
    const payee = { name, document, documentType, iban, phone: channel === 'pin' ? null : user.phone }
    const [key, description] = [
      new Free('a key of a credit', text(/^CREDIT_[0-9a-f_]{36}$/)),
      new Free('a text', text(/./)),
    ]
    return {
      account,
      channel,
      key,
      description,
      payee,
      payeeAccount: null,
      fee: 0,
      outcome: 'completed',
      stateCode: null,
    } as const
  }

  /** Records that a payment has reached a stage, with all consequences. */
  reach(payment: Payment, stage: number): void {
    if (payment.origin && !payment.sure) this.reach(payment.origin, payment.origin.stages.length - 1)
    payment.sure = true
    if (stage <= payment.stage) return
    payment.stage = stage
    if (this.lateMs === 0) this.#setTimes(payment)
    const status = statusOf(payment)
    if (status === 'pending' || status === 'processing') return
    this.#open.delete(payment)
    if (status !== 'completed') return
    payment.account.settled -= total(payment)
    const { payeeAccount } = payment
    if (!payeeAccount) return
    payeeAccount.settled += payment.amount
    payment.receipt ??= this.#receive(payment, payeeAccount)
    payment.receipt.sure = true
  }

  /** Sets the times of past steps; each step must have happened at its exact millisecond. */
  #setTimes({ stages, stage, submittedAt, completedAt }: Payment): void {
    for (const { status, at } of stages.slice(0, stage + 1)) {
      if (status === 'processing') submittedAt.value = timestamp(at)
      if (status === 'completed') completedAt.value = timestamp(at)
    }
  }

  /** The receiver's own record of a payment within the bank. */
  #receive(payment: Payment, account: Account): Payment {
    const descriptions = { pin: 'Incoming PIN payment', sinpe_movil: 'Incoming SINPE Movil payment' }
    const receipt: Payment = {
      ...payment,
      ...this.#received(account, payment.channel),
      payer: payment.payer,
      description: descriptions[payment.channel],
      user: account.user,
      type: 'credit',
      stages: [{ status: 'completed', at: payment.stages.at(-1)?.at ?? 0 }],
      stage: 0,
      sure: false,
      placed: this.lateMs === 0,
      id: new Free('a UUID', isUuid, this.#taken),
      createdAt: payment.completedAt,
      submittedAt: payment.completedAt,
      origin: payment,
      receipt: null,
    }
    this.payments.push(receipt)
    return receipt
  }

  /** Indexes of the stages that a payment may be in. */
  stagesAt(payment: Payment, now: number): number[] {
    return payment.stages.map((_, stage) => stage).slice(payment.stage, this.#last(payment, now) + 1)
  }

  /** Indexes of the stages that a payment may be in or may have passed. */
  stagesUntil(payment: Payment, now: number): number[] {
    return payment.stages.map((_, stage) => stage).slice(0, this.#last(payment, now) + 1)
  }

  #last({ stage, stages }: Payment, now: number): number {
    return Math.max(
      stage,
      stages.findLastIndex(({ at }) => at <= now),
    )
  }

  /** Takes all steps that must have been taken by now, in the order of their due times. */
  advance(now: number): void {
    this.#takeSteps(now)
    for (const payment of this.#open) {
      const { payeeAccount, receipt } = payment
      const canBeDone = payment.stages[this.#last(payment, now)]?.status === 'completed'
      if (payeeAccount && canBeDone) payment.receipt = receipt ?? this.#receive(payment, payeeAccount)
    }
  }

  #takeSteps(now: number): void {
    const next = ({ stages, stage }: Payment) => stages[stage + 1]
    const isOver = (payment: Payment) => {
      const at = next(payment)?.at ?? Number.POSITIVE_INFINITY
      const [earliest = 0] = payment.madeAt
      const latest = at - earliest + (payment.madeAt.at(-1) ?? earliest)
      return Math.max(latest, this.upSince) + this.lateMs <= now
    }
    for (;;) {
      const due = [...this.#open].filter((payment) => payment.sure && isOver(payment))
      const [first] = due.sort((one, other) => (next(one)?.at ?? 0) - (next(other)?.at ?? 0))
      if (!first) return
      this.reach(first, first.stage + 1)
    }
  }
}

const isReleased = (status: PaymentStatus): boolean => !['pending', 'processing', 'completed'].includes(status)
