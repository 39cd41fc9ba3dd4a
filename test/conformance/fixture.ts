import { randomUUID } from 'node:crypto'
import { demoRegistry } from '../../emulator/seed.ts'
import type { Account, Currency, InitiatedPayment, Payment } from '../../src/contract/index.ts'
import type { Api } from './api.ts'

/** The accounts the cases work with. */
export interface Fixture {
  /** Funded. */
  readonly colones: Account
  readonly dollars: Account
  /** The user's second account in CRC. */
  readonly savings: Account
  /** Whether the demo's recipients are known here. */
  readonly demo: boolean
}

export async function prepare(api: Api): Promise<Fixture> {
  const savings = await open(api, 'CRC')
  const page = await api.get('/api/accounts', { query: { per_page: 1000 } })
  const accounts: Account[] = page.body.data.data
  const richest = (currency: Currency) => {
    const [first] = accounts
      .filter(({ balance }) => balance.currency === currency)
      .sort((a, b) => b.balance.value - a.balance.value)
    if (!first) throw new Error(`No account in ${currency}`)
    return first
  }
  const known = await api.get(`/api/iban/information/${ibanOf('Carlos Jiménez Mora')}`)
  return { colones: richest('CRC'), dollars: richest('USD'), savings, demo: known.status === 200 }
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

function addressOf(name: string, form: RegExp): string {
  const entry = demoRegistry.find((candidate) => candidate.name === name && form.test(candidate.address))
  if (!entry) throw new Error(`The demo has no ${name}`)
  return entry.address
}

export const aKey = (): string => `key-${randomUUID()}`

/** Sends a payment that has to be accepted. */
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

/** Everything of the user's that a request could have changed. */
export async function everything(api: Api): Promise<State> {
  const accounts = await api.get('/api/accounts', { query: { per_page: 1000 } })
  const payments = await api.get('/api/payments/history', { query: { per_page: 1000 } })
  return { accounts: accounts.body.data.data, payments: payments.body.data.data, total: payments.body.data.total }
}
