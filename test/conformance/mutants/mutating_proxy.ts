import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type EndpointId, endpointOf } from '../contract_check.ts'
import { exchangeOverHttp } from '../http_exchange.ts'

// biome-ignore lint/suspicious/noExplicitAny: a mutant takes apart what it knows
export type Json = any

/** A request on its way to the service. Bodies are JSON values; a text that is not JSON stays a string. */
export interface Request {
  readonly endpoint: EndpointId | undefined
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

/** An answer that a mutant may change. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: Json
}

/** A delivery on its way to a receiver. */
export interface Delivery {
  readonly headers: Record<string, string>
  readonly body: Json
}

/** Faults of a service, applied by a proxy in front of it. */
export interface Mutation {
  answer?(request: Request, send: (request: Request) => Promise<Answer>): Promise<Answer>
  /** Returns the deliveries that the receiver gets instead of this delivery. */
  deliveries?(delivery: Delivery): readonly Delivery[]
}

interface MutatingProxy extends AsyncDisposable {
  readonly url: string
}

const relay = '/mutated-deliveries/'

/** Starts a proxy in front of the service at `origin`. Deliveries to receivers pass through the proxy too. */
export async function startProxy(origin: URL, { answer, deliveries }: Mutation): Promise<MutatingProxy> {
  let here = ''
  const send = async ({ method, url, headers, body }: Request): Promise<Answer> => {
    const payload = body === undefined ? {} : { payload: written(body) }
    const { status, headers: answered, text } = await exchangeOverHttp(origin, { method, url, headers, ...payload })
    return { status, headers: flat(answered), body: read(text) }
  }
  const withRelay = (request: Request): Request => {
    const { url } = request.body ?? {}
    if (request.endpoint !== 'webhooks.create' || !deliveries || typeof url !== 'string') return request
    return { ...request, body: { ...request.body, url: here + relay + Buffer.from(url).toString('base64url') } }
  }
  const withoutRelay = (body: unknown): unknown => {
    const relayed = new RegExp(`${(here + relay).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}([\\w-]+)`, 'g')
    return read(written(body).replace(relayed, (_, url) => decoded(url)))
  }
  const deliver = async ({ url, headers, body }: Request): Promise<Answer> => {
    const receiver = new URL(decoded(url.slice(relay.length)))
    let last: Answer = { status: 204, headers: {}, body: '' }
    for (const each of deliveries?.({ headers, body }) ?? []) {
      const wire = {
        method: 'POST',
        url: receiver.pathname,
        headers: each.headers,
        payload: Buffer.from(written(each.body)),
      }
      last = { status: (await exchangeOverHttp(receiver, wire)).status, headers: {}, body: '' }
    }
    return last
  }
  const pass = async (incoming: IncomingMessage): Promise<Answer> => {
    const request = await requestOf(incoming)
    if (request.url.startsWith(relay)) return deliver(request)
    const outgoing = withRelay(request)
    const reply = await (answer ? answer(outgoing, send) : send(outgoing))
    return { ...reply, body: withoutRelay(reply.body) }
  }

  const server = createServer((incoming, outgoing) => {
    pass(incoming).then(
      ({ status, headers, body }) => outgoing.writeHead(status, headers).end(written(body)),
      () => outgoing.destroy(), // the client gets no answer
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: here,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const { method = '', url = '' } = incoming
  const { host: _, ...headers } = flat(incoming.headers)
  const body = await text(incoming)
  return { endpoint: endpointOf(method, url), method, url, headers, body: body === '' ? undefined : read(body) }
}

/** Parses objects and arrays; any other text stays a string. */
function read(body: string): unknown {
  if (!/^\s*[{[]/.test(body)) return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

const written = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

const decoded = (url: string): string => Buffer.from(url, 'base64url').toString()

/** Removes the headers about the body's transfer, because the proxy sends its own. */
const flat = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(
        ([name, value]) => value !== undefined && !['content-length', 'transfer-encoding', 'connection'].includes(name),
      )
      .map(([name, value]) => [name, String(value)]),
  )
