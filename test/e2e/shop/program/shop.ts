import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as realPause } from 'node:timers/promises'
import { Bank } from './bank.ts'
import { Books, type Closing } from './books.ts'
import { openDatabase } from './database.ts'
import { Orders } from './orders.ts'
import { Payouts } from './payouts.ts'
import { shopPages } from './server.ts'
import { Session } from './session.ts'

export interface ShopOptions {
  /** The bank's API and its sign-in, without a slash at the end. */
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly database?: DatabaseSync
  /** Epoch milliseconds. */
  readonly now?: () => number
  /** Number of times that a request is sent before the program gives up. */
  readonly attempts?: number
  /** Waits for this many milliseconds before an attempt is repeated. */
  readonly pause?: (ms: number) => Promise<void>
}

export interface Shop {
  readonly session: Session
  readonly bank: Bank
  readonly orders: Orders
  readonly payouts: Payouts
  readonly books: Books
  /** Address for the bank's webhooks and for the owner's browser. */
  readonly url: string
  readonly hookUrl: string
  readonly database: DatabaseSync
  /** True: answers no requests, for maintenance; false: answers all requests again. */
  maintain(closed: boolean): void
  /** Begins a sign-in. Returns the address at which the owner signs in. */
  signIn(): string
  /** Opens the books and subscribes to the bank's events. */
  start(): Promise<void>
  closeDay(day: string): Promise<Closing>
  close(): Promise<void>
}

const events = ['payment.processing', 'payment.completed', 'payment.failed', 'transaction.received']

/** Opens the shop on a free port of this machine. */
export async function openShop(options: ShopOptions): Promise<Shop> {
  const { database = openDatabase(), now = Date.now, pause = async (ms) => void (await realPause(ms)) } = options
  const hookSecret = randomBytes(24).toString('base64url')
  let state: string | undefined
  let closed = false
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { authUrl, clientId, clientSecret, attempts } = options
  const redirectUri = `${url}/signed-in`
  const session = new Session(database, { authUrl, clientId, clientSecret, redirectUri, now, pause })
  const bank = new Bank({ baseUrl: options.baseUrl, session, now, pause, ...(attempts !== undefined && { attempts }) })
  const orders = new Orders(database, bank, now)
  const payouts = new Payouts(database, bank, now)
  const books = new Books(database, bank)
  const hookUrl = `${url}/hooks/payments`
  const works: Promise<void>[] = []
  const work = (each: Promise<void>) => void works.push(each)
  const pages = { orders, payouts, session, hookSecret, closed: () => closed, state: () => state, work }
  server.on('request', shopPages(pages))
  return {
    session,
    bank,
    orders,
    payouts,
    books,
    url,
    hookUrl,
    database,
    maintain(wanted) {
      closed = wanted
    },
    signIn() {
      state = randomBytes(16).toString('base64url')
      return session.signInUrl(state)
    },
    async start() {
      await books.open()
      const headers = { Authorization: `Bearer ${hookSecret}` }
      await bank.post('/api/webhooks/subscriptions', { url: hookUrl, events, headers })
    },
    closeDay: (day) => books.close(day, { orders, payouts }),
    async close() {
      await Promise.allSettled(works)
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
