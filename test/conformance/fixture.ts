import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Account, Currency, InitiatedPayment, Payment } from '../../src/contract/index.ts'
import { demoRegistry } from '../emulator/demo_registry.ts'
import type { Api } from './api.ts'
import { skipIfNotAllowed, Undecided } from './not_applicable.ts'
import type { World } from './target.ts'

/** Accounts for the cases. If an account is not available, the case that needs it throws the reason. */
export interface Fixture {
  /** A funded account: the account that may be debited, if only one may be debited. */
  readonly colones: Account
  readonly dollars: Account
  /** The user's second account in CRC. */
  readonly savings: Account
  /** True if the demo's recipients exist at the service. */
  readonly demo: boolean
}

/**
 * Makes the fixture without checks against the contract, so that one wrong endpoint does not prevent the tests of the
 * others.
 */
export async function prepare({ exchange, token, payer }: World): Promise<Fixture> {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json', 'Content-Type': 'application/json' }
  const ask = async (method: string, url: string, body?: object) => {
    const reply = await exchange({ method, url, headers, ...(body && { payload: JSON.stringify(body) }) })
    if (reply.status >= 300) throw new Error(`${method} ${url} answered ${reply.status}: ${reply.text.slice(0, 200)}`)
    return JSON.parse(reply.text).data
  }
  const savings = await attempt(async () => {
    const { id } = await ask('POST', '/api/accounts', { currency: 'CRC' })
    return (await ask('GET', `/api/accounts/${id}`)) as Account
  })
  const accounts = await attempt(async () => (await ask('GET', '/api/accounts?per_page=1000')).data as Account[])
  const richest = (currency: Currency) => {
    const given = accounts().find(({ id, balance }) => id === payer && balance?.currency === currency)
    if (given) return given
    const [first] = accounts()
      .filter(({ balance }) => balance?.currency === currency)
      .sort((a, b) => b.balance.value - a.balance.value)
    if (!first) throw new Error(`No account in ${currency}`)
    return first
  }
  const known = await attempt(() => ask('GET', `/api/iban/information/${ibanOf('Carlos Jiménez Mora')}`))
  const [colones, dollars] = [await attempt(() => richest('CRC')), await attempt(() => richest('USD'))]
  return {
    get colones() {
      return colones()
    },
    get dollars() {
      return dollars()
    },
    get savings() {
      return savings()
    },
    get demo() {
      try {
        return known().name === 'Carlos Jiménez Mora'
      } catch {
        return false
      }
    },
  }
}

/** Calls `make` once. The returned function returns the result of `make`, or throws its error, on every call. */
async function attempt<T>(make: () => T | Promise<T>): Promise<() => T> {
  try {
    const made = await make()
    return () => made
  } catch (error) {
    return () => skipIfNotAllowed(error)
  }
}

/** Opens an account and reads it back. */
export async function open(api: Api, currency: Currency): Promise<Account> {
  const created = await api.post('/api/accounts', { currency })
  return (await api.get(`/api/accounts/${created.body.data.id}`)).body.data
}

/** The IBAN of one of the demo's recipients. */
export const ibanOf = (name: string): string => addressOf(name, /^CR/)

/** The phone of one of the demo's recipients: eight digits. */
export const phoneOf = (name: string): string => addressOf(name, /^\d/)

/** Holders of an address of the demo. */
export const demoNames = (address: string): readonly string[] =>
  demoRegistry.filter((entry) => entry.address === address).map(({ name }) => name)

function addressOf(name: string, form: RegExp): string {
  const entry = demoRegistry.find((candidate) => candidate.name === name && form.test(candidate.address))
  if (!entry) throw new Error(`The demo has no ${name}`)
  return entry.address
}

export const aKey = (): string => `key-${randomUUID()}`

/** Sends a payment that must be accepted. */
export async function paid(api: Api, body: Readonly<Record<string, unknown>>, key = aKey()): Promise<InitiatedPayment> {
  const answer = await api.pay(body, key)
  if (answer.status !== 201) throw new Error(`Not accepted: ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

export const paymentOf = async (api: Api, id: string): Promise<Payment> =>
  (await api.get(`/api/payments/${id}`)).body.data

export interface State {
  readonly accounts: readonly Account[]
  readonly payments: readonly Payment[]
  readonly total: number
}

/** A snapshot of the user's data that a request could change. */
export async function everything(api: Api): Promise<State> {
  const readPayments = async () => (await api.get('/api/payments/history', { query: { per_page: 1000 } })).body.data
  const readAccounts = async () => (await api.get('/api/accounts', { query: { per_page: 1000 } })).body.data
  const [payments, accounts] = await undisturbed(readPayments, readAccounts)
  return { accounts: accounts.data, payments: payments.data, total: payments.total }
}

/**
 * Calls `look` between two reads, and repeats all three until the reads agree: payments under way change accounts while
 * a case reads. Throws Undecided if the reads never agree.
 */
export async function undisturbed<Around, Seen>(
  read: () => Promise<Around>,
  look: () => Promise<Seen>,
): Promise<[Around, Seen]> {
  let before = await read()
  for (let left = 50; left > 0; left -= 1) {
    const seen = await look()
    const after = await read()
    if (isDeepStrictEqual(before, after)) return [after, seen]
    before = after
    await wait(100)
  }
  throw new Undecided('What the case reads changed each time it was read')
}

/** Repeats `look` for at most twenty seconds while payments are under way. Throws the first error of `look` at once. */
export async function atRest<T>(look: () => Promise<T>, paymentsOf: (seen: T) => readonly Payment[]): Promise<T> {
  for (let left = 100; ; left -= 1) {
    const seen = await look()
    if (!paymentsOf(seen).some(({ status }) => status === 'pending' || status === 'processing')) return seen
    if (left === 0) throw new Undecided('Payments are still under way')
    await wait(200)
  }
}
