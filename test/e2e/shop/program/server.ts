import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Payment } from './bank.ts'
import { has } from './mistakes.ts'
import type { Orders } from './orders.ts'
import type { Payouts } from './payouts.ts'
import type { Session } from './session.ts'

export interface Served {
  readonly orders: Orders
  readonly payouts: Payouts
  readonly session: Session
  /** Secret header of the bank's deliveries, from the subscription. */
  readonly hookSecret: string
  /** True while the shop is closed for maintenance: the bank tries again later. */
  readonly closed: () => boolean
  /** Records work that a delivery starts: a shop that closes waits for it. */
  readonly work: (work: Promise<void>) => void
  /** The `state` parameter of the owner's sign-in. */
  readonly state: () => string | undefined
}

const longestBody = 100_000

/** The shop's public server: the receiver of the bank's webhooks, and the return address of sign-ins. */
export const shopPages =
  (served: Served): RequestListener =>
  (request, response) => {
    answer(request, response, served).catch(() => response.writeHead(500).end())
  }

async function answer(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop')
  if (served.closed()) return void response.writeHead(503, { 'Retry-After': '60' }).end()
  const route = `${request.method} ${pathname}`
  if (route === 'POST /hooks/payments') {
    if (!isSecret(request.headers.authorization, served.hookSecret)) return void response.writeHead(401).end()
    const work = take(JSON.parse(await bodyOf(request)), served)
    served.work(work)
    if (!has('answer-first')) await work
    return void response.writeHead(204).end()
  }
  if (route === 'GET /signed-in') {
    const code = searchParams.get('code')
    if (searchParams.get('state') !== served.state())
      return void response.writeHead(400).end('A sign-in of nobody here')
    if (code === null) return void response.writeHead(200).end('The shop may not use the accounts')
    await served.session.signIn(code)
    return void response.writeHead(200).end('Signed in')
  }
  response.writeHead(404).end()
}

/** Handles an event. Events come twice, late, in any order and sometimes not at all, so each may be outdated. */
async function take(
  { event, data }: { event: string; data: Payment & { error?: string } },
  { orders, payouts }: Served,
): Promise<void> {
  if (event === 'transaction.received') {
    orders.receive(data)
    if (has('refund-twice', 'answer-first')) await payouts.refundAtOnce(data)
  } else if (event.startsWith('payment.')) payouts.record({ ...data, error_message: data.error ?? null })
}

function isSecret(header = '', secret: string): boolean {
  const [given, wanted] = [Buffer.from(header), Buffer.from(`Bearer ${secret}`)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > longestBody) throw new Error('The body is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
