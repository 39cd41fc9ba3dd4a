import { type Body, checkReply, endpointOf } from './contract_check.ts'
import type { Reply, World } from './target.ts'

export interface Parts {
  /** A token other than the world's; null: no token. */
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** A string or bytes are sent unchanged, any other value as JSON. */
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string | number>> | string
}

export interface Answer {
  readonly status: number
  readonly headers: Reply['headers']
  readonly body: Body
}

/** Calls a world; checks every answer against the contract. */
export class Api {
  readonly #world: World
  readonly #seen: Set<string>

  /** `seen` collects the statuses that each endpoint answered. */
  constructor(world: World, seen: Set<string>) {
    this.#world = world
    this.#seen = seen
  }

  get = (path: string, parts: Parts = {}): Promise<Answer> => this.request('GET', path, parts)

  post = (path: string, body: unknown, parts: Parts = {}): Promise<Answer> =>
    this.request('POST', path, { ...parts, body })

  /** POST /api/payments */
  pay = (body: unknown, key: string, parts: Parts = {}): Promise<Answer> =>
    this.post('/api/payments', body, { ...parts, headers: { 'X-Idempotency-Key': key, ...parts.headers } })

  /** POST /api/payments/validate */
  validate = (body: unknown, key: string, parts: Parts = {}): Promise<Answer> =>
    this.post('/api/payments/validate', body, { ...parts, headers: { 'X-Idempotency-Key': key, ...parts.headers } })

  async request(method: string, path: string, { token, headers, body, query = {} }: Parts = {}): Promise<Answer> {
    const bearer = token === undefined ? this.#world.token : token
    const encoded = typeof query === 'string' ? query : new URLSearchParams(entriesOf(query)).toString()
    const url = encoded ? `${path}?${encoded}` : path
    const reply = await this.#world.exchange({
      method,
      url,
      headers: {
        Accept: 'application/json',
        ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: payloadOf(body) }),
    })
    const id = endpointOf(method, url)
    const answer = { status: reply.status, headers: reply.headers, body: checkReply(id, reply, this.#world) }
    if (id) this.#seen.add(`${id} ${reply.status}`)
    if (reply.status === 401) this.#seen.add(`oauth ${answer.body.errors.error}`)
    return answer
  }
}

const payloadOf = (body: unknown): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)

const entriesOf = (query: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
