import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'vitest'
import { morning, type Prepared } from './prepared.ts'
import type { Given } from './shop_test.ts'

/**
 * A typical hand-written stub of the bank, one for each test, with only the features that some tests need. The stub
 * exists only to compare the cost of tests.
 */

const prepared: Prepared = {
  clientId: 'shop',
  clientSecret: 's',
  accessToken: 'token-0',
  refreshToken: 'refresh-0',
}

interface Payment {
  readonly id: string
  readonly idempotency_key: string
  readonly transfer_type: 'debit' | 'credit'
  status: string
  readonly amount: { value: number; currency: string }
  fee: { value: number; currency: string } | null
  readonly payer: object
  completed_at: string | null
  /** Time at which the payment ends. */
  readonly due: number
  error_message?: string
}

interface Fault {
  readonly status?: number
  readonly fault?: string
  times: number
}

const holders: Readonly<Record<string, [name: string, status: string]>> = {
  CR07010200100000000003: ['Ferretería El Roble S.A.', 'active'],
  '87000003': ['Ferretería El Roble S.A.', 'active'],
  '87000002': ['Ana Lucía Vargas Solano', 'active'],
  CR50010200100000000005: ['Pacific Imports LLC', 'active'],
  CR86016100100000000013: ['Cuenta Cerrada', 'closed'],
  '87000006': ['Rechazo Siempre', 'active'],
}

const names: Readonly<Record<string, string>> = { '87000001': 'Carlos Jiménez Mora' }

class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

async function startStub(): Promise<Given['world']> {
  const accounts = [
    { id: 'crc', iban: 'CR00000000000000000001', currency: 'CRC' as const, balance: 250_000_000 },
    { id: 'usd', iban: 'CR00000000000000000002', currency: 'USD' as const, balance: 1_000_000 },
  ]
  const payments: Payment[] = []
  const faults: Fault[] = []
  const fees = { pin: 150, sinpe_movil: 0 }
  const fx = { ask: 512.04, offline: false }
  let now = Date.parse(morning)
  let token = { access: 'token-0', refresh: 'refresh-0', ends: now + 3_600_000 }
  let hook: { url: string; headers: Record<string, string> } | undefined

  const accountOf = (currency: string) => accounts[currency === 'CRC' ? 0 : 1] as (typeof accounts)[number]
  const instant = (time = now) => new Date(time).toISOString().replace('Z', '000Z')

  async function tell(event: string, data: object): Promise<void> {
    if (!hook) return
    const headers = { 'Content-Type': 'application/json', ...hook.headers }
    await (await fetch(hook.url, { method: 'POST', headers, body: JSON.stringify({ event, data }) })).arrayBuffer()
  }

  function pay(key: string, body: Record<string, string | number>): Payment {
    const known = payments.find(({ idempotency_key }) => idempotency_key === key)
    if (known) return known
    const account = accounts.find(({ id }) => id === body.source_account_id)
    if (!account) throw new Refusal(422, 'Source account does not exist')
    const { currency } = account
    const amount = { value: Number(body.amount), currency }
    const fee = { value: body.recipient_iban ? fees.pin : fees.sinpe_movil, currency }
    if (account.balance < amount.value + fee.value) throw new Refusal(422, 'Insufficient balance')
    account.balance -= amount.value + fee.value
    const refused = body.recipient_phone === '87000006' && { error_message: 'Rejected' }
    const payment = {
      id: randomUUID(),
      idempotency_key: key,
      transfer_type: 'debit',
      status: 'pending',
      amount,
      fee,
    } as const
    payments.push({ ...payment, payer: {}, completed_at: null, due: now + 1000, ...refused })
    return payments.at(-1) as Payment
  }

  async function finish(payment: Payment): Promise<void> {
    payment.status = payment.error_message ? 'failed' : 'completed'
    if (payment.error_message) {
      accountOf(payment.amount.currency).balance += payment.amount.value + (payment.fee?.value ?? 0)
      payment.fee = null
    } else payment.completed_at = instant(Math.min(payment.due, now))
    await tell(`payment.${payment.status}`, payment)
  }

  /** Returns the data of the bank's answer to a request. */
  async function answer(request: IncomingMessage): Promise<unknown> {
    const { pathname: path } = new URL(request.url ?? '', 'http://bank')
    const body = request.method === 'POST' ? JSON.parse(Buffer.concat(await request.toArray()).toString()) : {}
    if (path === '/oauth/token') {
      if (body.refresh_token !== token.refresh) throw new Refusal(400, 'invalid_grant')
      token = { access: randomUUID(), refresh: randomUUID(), ends: now + 3_600_000 }
      return token
    }
    if (request.headers.authorization !== `Bearer ${token.access}` || now > token.ends) throw new Refusal(401, 'No')
    const [, , noun = '', id = '', last = ''] = path.split('/')
    if (path === '/api/webhooks/subscriptions') hook = body
    else if (path === '/api/accounts') {
      return {
        data: accounts.map(({ balance, ...rest }) => ({
          ...rest,
          balance: { value: balance, currency: rest.currency },
        })),
      }
    } else if (noun === 'accounts') return accounts.find((account) => account.id === id)
    else if (path === '/api/fx/rates') {
      if (fx.offline) throw new Refusal(503, 'Exchange rates are currently unavailable')
      return { ask: fx.ask }
    } else if (noun === 'iban' || noun === 'phone') {
      const [name, status] = holders[last] ?? []
      if (name === undefined) throw new Refusal(404, 'Not found')
      return { name, status }
    } else if (path === '/api/payments/history') return { data: payments.toReversed(), last_page: 1 }
    else if (path === '/api/payments') return pay(String(request.headers['x-idempotency-key']), body)
    else if (noun === 'payments') return payments.find((payment) => payment.id === id)
    return null
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = request.url === '/api/payments' ? faults.find(({ times }) => times > 0) : undefined
    if (fault) fault.times -= 1
    if (fault?.fault === 'reset') return void request.socket.resetAndDestroy()
    try {
      if (fault?.status) throw new Refusal(fault.status, 'Out of order')
      const data = await answer(request)
      if (fault) return void request.socket.destroy()
      const tokens = request.url === '/oauth/token' && { access_token: token.access, refresh_token: token.refresh }
      response.writeHead(200).end(JSON.stringify({ message: 'OK', data, ...tokens }))
    } catch (error) {
      response
        .writeHead(error instanceof Refusal ? error.status : 500)
        .end(JSON.stringify({ message: `${error}`, data: null }))
    }
  }

  const server = createServer((request, response) => void respond(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const counted = () =>
    Object.groupBy(
      payments.filter(({ transfer_type }) => transfer_type === 'debit'),
      ({ status }) => status,
    )
  const control = {
    clock: {
      async advance({ ms }: { ms: number }) {
        now += ms
        for (const payment of payments) if (payment.status === 'pending' && payment.due <= now) await finish(payment)
        await new Promise(setImmediate)
        return { now: instant() }
      },
      async at({ time }: { time: string }) {
        now = Date.parse(time)
      },
    },
    credits: {
      async create({ to, amount: value, from_phone: phone_number = null, from_iban: iban = null }: Credit) {
        const { currency } = accounts.find((account) => account.iban === to) ?? { currency: 'CRC' as const }
        accountOf(currency).balance += value
        const id = randomUUID()
        const payer = { phone_number, iban, name: names[phone_number ?? ''] ?? 'Somebody' }
        const credit = { id, idempotency_key: `CREDIT_${id}`, transfer_type: 'credit', status: 'completed' } as const
        payments.push({ ...credit, amount: { value, currency }, fee: null, payer, completed_at: instant(), due: now })
        await tell('transaction.received', payments.at(-1) as Payment)
        return { id }
      },
    },
    faults: {
      async add({ status, fault, times = 1 }: Partial<Fault>) {
        faults.push({ times: times ?? Number.POSITIVE_INFINITY, ...(status && { status }), ...(fault && { fault }) })
      },
    },
    fees: { set: async (given: object) => void Object.assign(fees, given) },
    fx: {
      set: async ({ ask = 510, offline = false }) => void Object.assign(fx, { ask: ask * 1.004, offline }),
    },
    payments: {
      move: async ({ id }: { id: string }) => finish(payments.find((payment) => payment.id === id) as Payment),
    },
    state: async () => {
      const { pending = [], completed = [] } = counted()
      return { payments: { pending: pending.length, completed: completed.length, processing: 0, failed: 0 } }
    },
    ledger: async () => ({ balanced: true, problems: [] }),
  }
  const until = { payment: async () => {} }
  const whole = {
    name: 'stub',
    baseUrl,
    authUrl: baseUrl,
    user: { phone: '88001234' },
    accounts: () => accounts,
    control,
    until,
  }
  return {
    ...(whole as unknown as Given['world']),
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A stub for each test. */
export const stubTest = test.extend<Pick<Given, 'world' | 'prepared'>>({
  prepared,
  world: async ({ task: _ }, use) => {
    const world = await startStub()
    await use(world)
    await world.close()
  },
})

interface Credit {
  readonly to: string
  readonly amount: number
  readonly from_phone?: string | null
  readonly from_iban?: string | null
}
