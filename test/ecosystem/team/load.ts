import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { token } from './cluster.ts'

/** A world in which clients pay. */
export interface PaidWorld {
  readonly name: string
  readonly url: string
  readonly account: string
  /** Id of the world, if it is known: the value of X-Emulator-World in its answers. */
  readonly id?: string
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly data?: unknown; readonly message?: string }
}

export function ask(
  agent: Agent,
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
      ...headers,
    }
    const sent = request(url, { agent, method, headers: all }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk)).on('error', reject)
      response.on('end', () => {
        try {
          const parsed = JSON.parse(Buffer.concat(chunks).toString() || '{}')
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed })
        } catch (error) {
          reject(error)
        }
      })
    })
    sent.on('error', reject).end(body)
  })
}

/** An answered payment. Times are milliseconds of a monotonic clock. */
export interface Paid {
  readonly world: string
  readonly shard: string
  readonly description: string
  readonly from: number
  readonly to: number
}

export interface Results {
  readonly paid: Paid[]
  /**
   * Attempts that got no answer, or an answer other than 201. The payment was then sent again with its idempotency key,
   * unless the service refused it.
   */
  readonly failures: { readonly shard: string; readonly at: number; readonly reason: string }[]
  /** Answers with the description or the id of another world. */
  readonly wrong: string[]
}

const pauseMs = 50

/** Time after which a payment must have succeeded, in milliseconds. */
const longest = 60_000

/** Number of payments so far: no two have the same description or key. */
let number = 0

/** Makes payments in worlds at random, with one kept-alive connection for each client, until `isOver`. */
export async function pay(worlds: readonly PaidWorld[], isOver: () => boolean, clients = 32): Promise<Results> {
  const results: Results = { paid: [], failures: [], wrong: [] }
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isOver()) {
      const world = worlds[Math.floor(Math.random() * worlds.length)] as PaidWorld
      await payOnce(world, { agent, results })
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: clients }, client))
  return results
}

async function payOnce(
  { name, url, account, id }: PaidWorld,
  { agent, results }: { readonly agent: Agent; readonly results: Results },
): Promise<void> {
  const [shard = ''] = name.split('.')
  number += 1
  const description = `payment ${number} in ${name}`
  const body = JSON.stringify({ source_account_id: account, recipient_phone: '87000001', amount: 1, description })
  const headers = { 'X-Idempotency-Key': `key-of-payment-${number}` }
  const from = performance.now()
  for (;;) {
    const outcome = await ask(agent, `${url}/api/payments`, { method: 'POST', headers, body }).catch(
      (error: Error) => error,
    )
    const to = performance.now()
    if (!(outcome instanceof Error) && outcome.status === 201) {
      const { description: answered } = outcome.body.data as { description: string }
      const answeredBy = outcome.headers['x-emulator-world']
      if (answered !== description || (id !== undefined && id !== answeredBy)) {
        results.wrong.push(`${description}: ${answered} by ${answeredBy}`)
      }
      results.paid.push({ world: name, shard, description, from, to })
      return
    }
    const reason = outcome instanceof Error ? outcome.message : `${outcome.status} ${outcome.body.message ?? ''}`
    results.failures.push({ shard, at: to, reason })
    const isRefused = !(outcome instanceof Error) && outcome.status < 500
    if (isRefused || to - from > longest) throw new Error(`${description} did not succeed: ${reason}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** A quantile of the durations of payments, in milliseconds: the share 0.99 gives the 99th percentile. */
export function quantile(paid: readonly Paid[], share: number): number {
  const durations = paid.map(({ from, to }) => to - from).sort((one, other) => one - other)
  return durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? Number.NaN
}

interface Audit {
  /** Answered payments that are missing in their world. */
  readonly lost: string[]
  /** Names of worlds that contain a payment more than once. */
  readonly doubled: string[]
  /** Payments in a world in which no client made them. */
  readonly foreign: string[]
  /** Worlds whose ledger does not balance. */
  readonly unbalanced: string[]
}

/** Compares the answers with the payments in every world in which clients paid. */
export async function audit(
  worlds: readonly PaidWorld[],
  paid: readonly Paid[],
  ledgerOf: (world: string) => Promise<{ balanced: boolean; problems: string[] }>,
): Promise<Audit> {
  const found: Audit = { lost: [], doubled: [], foreign: [], unbalanced: [] }
  const expected = Map.groupBy(paid, ({ world }) => world)
  const waiting = worlds.filter(({ name }) => expected.has(name))
  const auditor = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let world = waiting.pop(); world; world = waiting.pop()) {
      const ledger = await ledgerOf(world.name)
      if (!ledger.balanced) found.unbalanced.push(`${world.name}: ${ledger.problems.join(', ')}`)
      const answered = new Set(expected.get(world.name)?.map(({ description }) => description))
      const has = await descriptionsIn(world, agent)
      const once = new Set(has)
      if (once.size < has.length) found.doubled.push(world.name)
      found.lost.push(...[...answered].filter((description) => !once.has(description)))
      found.foreign.push(...[...once].filter((description) => !answered.has(description)))
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: 6 }, auditor))
  return found
}

async function descriptionsIn({ url }: PaidWorld, agent: Agent): Promise<string[]> {
  const descriptions: string[] = []
  for (let page = 1; ; page += 1) {
    const { body } = await ask(agent, `${url}/api/payments/history?per_page=100&page=${page}`)
    const { data, last_page } = body.data as { data: { description: string }[]; last_page: number }
    descriptions.push(...data.map(({ description }) => description))
    if (page >= last_page) return descriptions
  }
}
