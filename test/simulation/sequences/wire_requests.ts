import { demoSeed } from '../../../emulator/worlds/seed.ts'
import type { WireRequest } from '../../conformance/target.ts'
import type { Asked, Order } from './steps.ts'

/** Values that earlier requests have made or shown. */
export class Made {
  readonly payments: string[] = []
  readonly accounts: string[] = []
  readonly subscriptions: string[] = []
  readonly ibans: string[] = []
  readonly keys: string[] = []
  /** Last observed balances by account, in minor units. */
  readonly balances = new Map<string, number>()

  /** Saves values of an answer's `data`. */
  note(asked: Asked, data: unknown): void {
    if (!data) return
    const { id, iban } = data as { readonly id: string; readonly iban: string }
    if (asked.ask === 'create') {
      this.payments.push(id)
      if (asked.key !== undefined) this.keys.push(asked.key)
    }
    if (asked.ask === 'history') {
      const { data: payments } = data as {
        readonly data: readonly { idempotency_key: string; transfer_type: string }[]
      }
      // Saves the keys of credits, too, which no request contained.
      for (const { idempotency_key, transfer_type } of payments) {
        if (transfer_type === 'credit' && !this.keys.includes(idempotency_key)) this.keys.push(idempotency_key)
      }
    }
    if (asked.ask === 'subscribe') this.subscriptions.push(id)
    if (asked.ask === 'open') {
      this.accounts.push(id)
      this.ibans.push(iban)
    }
    if (asked.ask === 'balance') {
      this.balances.set(at(this.accounts, asked.which) ?? '', (data as { readonly balance: number }).balance)
    }
    if (asked.ask !== 'accounts') return
    const accounts = (data as { readonly data: readonly { id: string; iban: string; balance: { value: number } }[] })
      .data
    for (const { id, iban, balance } of accounts) {
      this.balances.set(id, balance.value)
      if (!this.accounts.includes(id)) this.accounts.push(id)
      if (!this.ibans.includes(iban)) this.ibans.push(iban)
    }
  }
}

export const at = <T>(list: readonly T[], index: number): T | undefined =>
  list.length === 0 ? undefined : list[index % list.length]

const nobody = '01900000-0000-7000-8000-00000000dead'
const subscriptions = '/api/webhooks/subscriptions'

const get = (url: string): WireRequest => ({ method: 'GET', url, headers: {} })

function post(url: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): WireRequest {
  if (body === undefined) return { method: 'POST', url, headers }
  return {
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  }
}

/** Makes the request of a step. `receiver` is the URL of a receiver of deliveries. */
export function wireOf(asked: Asked, made: Made, receiver: string): WireRequest {
  const subscription = 'which' in asked ? (at(made.subscriptions, asked.which) ?? nobody) : ''
  switch (asked.ask) {
    case 'create':
    case 'validate':
    case 'again': {
      const key = asked.ask === 'again' ? at(made.keys, asked.which) : asked.key
      const isCheck = asked.ask === 'validate' || (asked.ask === 'again' && asked.check)
      const path = isCheck ? '/api/payments/validate' : '/api/payments'
      return post(path, bodyOf(asked.order, made), key === undefined ? {} : { 'X-Idempotency-Key': key })
    }
    case 'history':
      return get(`/api/payments/history${asked.page || '?'}${asked.filters}`)
    case 'payment':
      return get(`/api/payments/${at(made.payments, asked.which) ?? nobody}`)
    case 'account':
      return get(`/api/accounts/${(at(made.accounts, asked.which) ?? nobody).toUpperCase()}`)
    case 'balance':
      return get(`/api/accounts/${at(made.accounts, asked.which) ?? nobody}/balance`)
    case 'get':
      return get(`${subscriptions}/${subscription}`)
    case 'delete':
      return { ...get(`${subscriptions}/${subscription}`), method: 'DELETE' }
    case 'suspend':
      return post(`${subscriptions}/${subscription}/suspend`, asked.reason)
    case 'resume':
      return post(`${subscriptions}/${subscription}/resume`)
    case 'subscribe': {
      const { url, ...others } = asked.subscription
      if (url === 'dead') return post(subscriptions, { ...others, url: 'http://127.0.0.1:1/' })
      const isPath = typeof url === 'string' && url.startsWith('/')
      return post(subscriptions, { ...others, url: isPath ? `${receiver}${url}` : url })
    }
    case 'subscriptions':
      return get(`${subscriptions}${asked.page}`)
    case 'accounts':
      return get(`/api/accounts${asked.page}`)
    case 'open':
      return post('/api/accounts', { currency: asked.currency })
    case 'look':
      return get(asked.path)
    case 'lookup': {
      const { iban, phone } = demoSeed.registry?.[asked.at] ?? {}
      const address = asked.own ? at(made.ibans, asked.at) : (phone ?? iban)
      return get(`/api/${address?.startsWith('CR') ? 'iban' : 'phone'}/information/${address}`)
    }
    case 'garbage': {
      const { method, path: url, body, type } = asked
      if (method === 'GET' || body === '') return { method, url, headers: {} }
      return {
        method,
        url,
        headers: { 'Content-Type': type, 'Content-Length': String(body.length) },
        payload: body,
      }
    }
  }
}

function bodyOf({ account, amount: wanted, payee, description }: Order, { accounts, ibans, balances }: Made) {
  const source_account_id = account === 7 ? undefined : at(accounts, account)
  const isRest = typeof wanted === 'object' && wanted !== null
  const amount = isRest ? (balances.get(source_account_id ?? '') ?? 0) - wanted.less : wanted
  const order = { source_account_id, amount, description }
  if ('own' in payee) return { ...order, recipient_iban: at(ibans, payee.own as number) }
  if (!('registry' in payee)) return { ...order, ...payee }
  const { iban, phone } = demoSeed.registry?.[payee.registry as number] ?? {}
  return iban ? { ...order, recipient_iban: iban } : { ...order, recipient_phone: phone }
}
