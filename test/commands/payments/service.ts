import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../../support/server.ts'

export const account = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
export const iban = 'CR05015202001026284066'
export const phone = '88881234'

export interface Received {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly key: string | undefined
  readonly authorization: string | undefined
  readonly body: Record<string, unknown>
}

type Answer = readonly [status: number, dataOrMessage: unknown]
/** Answers a request instead of the service; returns undefined if the service should answer. */
type Override = (request: Received, response: ServerResponse) => Answer | 'handled' | undefined

/**
 * A service that makes one payment for each user and idempotency key. Saves all requests except those for the token's
 * user, which it counts.
 */
export class Service {
  url = ''
  readonly received: Received[] = []
  /**
   * Number of requests for the token's user. Every run begins with a request for the user, so `received` leaves these
   * requests out.
   */
  identified = 0
  /** Answer to requests for the token's user. */
  identify: Override = (request) => {
    const name = userOf(request)
    return [200, { id: `id-of-${name}`, name, email: `${name}@example.com` }]
  }
  /** Headers of every answer. */
  readonly headers: Record<string, string> = {}
  /**
   * Payments by idempotency key; the user's name precedes the key, except for Ana. Money has moved once for each of
   * these payments.
   */
  readonly payments = new Map<string, Payment>()
  /** Statuses in the answers of payments.get, in order; the last status repeats. */
  statuses: string[] = ['completed']
  /** Maximum number of payments on a page of the history, whatever size a request names. */
  pageSize = 1000
  before: Override = () => undefined
  /** Called when a payment was made, before the answer is sent. */
  afterCommit: Override = () => undefined
  /** Makes the service refuse connections from now on. */
  stop = () => {}
  closeConnections = () => {}

  /** Makes the payment of a request. */
  commit(request: Received): Payment {
    const payment = this.payments.get(scopedKey(request)) ?? paymentOf(request)
    this.payments.set(scopedKey(request), payment)
    return payment
  }

  count(path: string): number {
    return this.received.filter((request) => request.path === path).length
  }

  answer(request: Received, response: ServerResponse): Answer | 'handled' {
    const { path } = request
    const key = scopedKey(request)
    const early = this.before(request, response)
    if (early) return early
    if (path === '/api/payments') {
      if (this.payments.has(key)) response.setHeader('Idempotent-Replayed', 'true')
      const payment = this.commit(request)
      return this.afterCommit(request, response) ?? [201, initiated(payment)]
    }
    if (path === '/api/payments/validate') {
      return this.payments.has(key) ? [409, 'Payment already processed'] : [200, { channel: 'pin', fee: money(100) }]
    }
    if (path === '/api/accounts') return [200, pageOf([accountData])]
    if (path.startsWith('/api/accounts/')) return [200, accountData]
    if (path.startsWith('/api/iban/information/')) return [200, { ...holder, iban: path.split('/').at(-1) }]
    if (path.startsWith('/api/phone/information/')) return [200, { ...holder, phone_number: path.split('/').at(-1) }]
    if (path === '/api/payments/service-status') return [200, serviceStatus]
    if (path.startsWith('/api/payments/history')) return [200, this.#history(request)]
    return this.#get(path.split('/').at(-1), request)
  }

  #paymentsOf(request: Received): Payment[] {
    return [...this.payments]
      .filter(([key, payment]) => scopedKey(request, payment.idempotency_key) === key)
      .map(([, payment]) => payment)
  }

  /** Newest first. */
  #history(request: Received) {
    const page = Number(request.query.page ?? 1)
    const payments = this.#paymentsOf(request).reverse()
    const last = Math.max(1, Math.ceil(payments.length / this.pageSize))
    const slice = payments.slice((page - 1) * this.pageSize, page * this.pageSize)
    return { ...pageOf(slice, page, last), total: payments.length }
  }

  #get(id: string | undefined, request: Received): Answer {
    const payment = this.#paymentsOf(request).find((candidate) => candidate.id === id)
    if (!payment) return [404, 'Payment not found']
    const status = this.statuses.length > 1 ? this.statuses.shift() : this.statuses[0]
    return [200, { ...payment, status, error_message: status === 'failed' ? 'Account closed' : null }]
  }
}

export async function startService(): Promise<Service> {
  const service = new Service()
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming)
    const isIdentification = request.path === '/api/user'
    if (isIdentification) service.identified += 1
    else service.received.push(request)
    // Node ignores a test's fake clock in this header.
    response.setHeader('Date', new Date().toUTCString())
    for (const [name, value] of Object.entries(service.headers)) response.setHeader(name, value)
    const answer = isIdentification ? service.identify(request, response) : service.answer(request, response)
    if (answer === undefined) throw new Error('No answer')
    if (answer === 'handled') return
    const [status, data] = answer
    const success = status < 400
    const body = success ? { success, message: 'Done', data } : { success, message: data, data: null, errors: {} }
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  const port = await listen(server)
  service.closeConnections = () => server.closeAllConnections()
  service.stop = () => {
    server.close()
    server.closeIdleConnections()
  }
  service.url = `http://127.0.0.1:${port}`
  return service
}

/** The tokens of alice and bob are their names; all other tokens are Ana's. */
const userOf = ({ authorization }: Received): string => /^Bearer (alice|bob)$/.exec(authorization ?? '')?.[1] ?? 'ana'

/** Key after the name of its user, except for Ana: two users may use the same key. */
const scopedKey = (request: Received, key = request.key ?? ''): string =>
  userOf(request) === 'ana' ? key : `${userOf(request)} ${key}`

async function read(incoming: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const url = new URL(incoming.url ?? '', 'http://service')
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    authorization: incoming.headers.authorization,
    key: incoming.headers['x-idempotency-key']?.toString(),
    body: text === '' ? {} : JSON.parse(text),
  }
}

const money = (value: number) => ({ value, currency: 'CRC', formatted: `${(value / 100).toFixed(2)} CRC` })

const time = '2026-01-05T18:00:00.000000Z'

const accountData = {
  id: account,
  document_number: '0304930258',
  document_type: 0,
  iban: 'CR61010200100000000001',
  balance: money(10_000_000),
  owner_name: 'Ana Mora',
  status: 'active',
  created_at: time,
  updated_at: time,
}

export const holder = {
  name: 'Luis Solano',
  document_number: '0204930258',
  document_type: 0,
  currency: 'CRC',
  country_code: 'CR',
  entity_name: 'Banco de Costa Rica',
  status: 'active',
}

const serviceStatus = {
  pin_service: { available: true, status: 'online' },
  sinpe_service: { available: false, status: 'offline' },
  overall_status: 'partial',
}

export type Payment = ReturnType<typeof paymentOf>

/** The payee; an IBAN if the request does not name a payee. */
const addressOf = ({ recipient_iban, recipient_phone }: Received['body']): { iban?: string; phone_number?: string } =>
  recipient_phone ? { phone_number: String(recipient_phone) } : { iban: String(recipient_iban ?? iban) }

export const paymentOf = ({ key = '', body }: Pick<Received, 'key' | 'body'>) => ({
  id: randomUUID(),
  idempotency_key: key,
  channel_reference: '2026010500001000000000001',
  transfer_type: 'debit',
  status: 'pending',
  amount: money(Number(body.amount)),
  fee: null,
  payer: { iban: 'CR61010200100000000001', document_number: '0304930258', document_type: 0, name: 'Ana Mora' },
  payee: { document_number: '0204930258', document_type: 0, name: 'Luis Solano', ...addressOf(body) },
  description: String(body.description ?? 'PIN transfer payment'),
  error_message: null,
  created_at: new Date().toISOString().replace('Z', '000Z'),
  submitted_at: null,
  completed_at: null,
  channel: 'pin',
})

/** A payment of 1,500.25 CRC that has arrived. */
export const completedPayment = (description: string) => ({
  ...paymentOf({ key: 'k', body: { description } }),
  amount: { value: 150_025, currency: 'CRC', formatted: 'anything' },
  fee: { value: 0, currency: 'CRC', formatted: '' },
  status: 'completed',
  sinpe_reference: '2026010511110000000000007',
  created_at: '2026-01-05T18:00:00.000000Z',
  submitted_at: '2026-01-05T18:00:01.000000Z',
  completed_at: '2026-01-05T18:00:02.000000Z',
})

export const initiated = ({
  id,
  channel,
  status,
  channel_reference,
  idempotency_key,
  amount,
  payee,
  description,
}: Payment) => ({
  id,
  channel,
  status,
  channel_reference,
  idempotency_key,
  source_account_id: account,
  recipient_iban: payee.iban ?? null,
  recipient_phone: payee.phone_number ?? null,
  amount,
  description,
})

export const pageOf = (data: readonly unknown[], current = 1, last = 1) => ({
  current_page: current,
  data,
  first_page_url: null,
  from: 1,
  last_page: last,
  last_page_url: null,
  links: [],
  next_page_url: current < last ? 'more' : null,
  path: null,
  per_page: 15,
  prev_page_url: null,
  to: data.length,
  total: data.length * last,
})

/** True if a request makes a payment. */
export const isPayment = ({ method, path }: Pick<Received, 'method' | 'path'>): boolean =>
  method === 'POST' && path === '/api/payments'

/** Makes payments from now on, but loses their answers. */
export function loseAnswers(service: Service): void {
  service.afterCommit = (_, response) => {
    response.destroy()
    return 'handled'
  }
}

/** Closes connections from now on before the service acts on a payment. */
export function dropPayments(service: Service): void {
  service.before = (request, response) => {
    if (!isPayment(request)) return undefined
    response.destroy()
    return 'handled'
  }
}

/** Hides the payments from the history. */
export function hideHistory(service: Service): void {
  const { before } = service
  service.before = (request, response) =>
    request.path === '/api/payments/history' ? [200, pageOf([])] : before(request, response)
}

/** Makes the service answer correctly from now on. */
export function recover(service: Service): void {
  service.before = () => undefined
  service.afterCommit = () => undefined
}

/** Makes the service refuse connections after it has answered the request for the token's user. */
export function stopOnceIdentified(service: Service): void {
  const { identify } = service
  service.headers.Connection = 'close'
  service.identify = (...exchange) => {
    service.stop()
    return identify(...exchange)
  }
}
