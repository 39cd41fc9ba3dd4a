import { demo } from '../../../emulator/worlds/seed.ts'
import { createConnection } from '../../../src/client/connection.ts'
import { exchange } from '../../../src/client/exchange.ts'
import { controlEndpoints, requestFaults } from '../../../src/contract/index.ts'
import { broken } from '../broken.ts'
import { machine } from '../machine/machine.ts'
import type { Random } from '../random.ts'

// An operator of the emulator, who uses control endpoints while others pay: reads the state, and tries things in
// separate worlds.

const origin = 'http://127.0.0.1:4010'

interface Answer {
  readonly status: number
  readonly text: string
}

/** Sends a request; resolves with undefined if no answer came. */
type Ask = (method: string, path: string, body?: unknown) => Promise<Answer | undefined>

/**
 * Performs `count` actions, one after another. Throws Broken if a ledger does not balance, or if a read is answered
 * with an internal error.
 */
export async function operate(random: Random, count: number): Promise<void> {
  const connection = createConnection({ baseUrl: origin })
  const ask: Ask = async (method, path, body) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${demo.token}` }
    const outgoing = { origin, method, path, headers, body: body === undefined ? undefined : JSON.stringify(body) }
    const reply = await exchange(await connection.transport(), outgoing, connection)
    if (!('status' in reply)) return undefined
    machine.log(`${method} ${path}: ${reply.status}`)
    return reply
  }
  try {
    for (let left = count; left > 0; left -= 1) await random.pick(deeds)(ask, random)
  } finally {
    await connection.close()
  }
}

type Deed = (ask: Ask, random: Random) => Promise<unknown>

/** Endpoints that only read, and need only the path. Leaves `sql` out, which runs in a separate process. */
const readings = Object.entries(controlEndpoints)
  .filter(([id, { method, path }]) => method === 'GET' && !path.includes('{') && id !== 'control.sql')
  .map(([, { path }]) => path)

/** True for a successful answer, which can't come from a fault rule, a gateway or a full disk. */
const inOrder = (answer: Answer | undefined): boolean => answer !== undefined && answer.status < 300

const dataOf = ({ text }: Answer) => JSON.parse(text).data

async function balanced(ask: Ask, prefix = ''): Promise<void> {
  const answer = await ask('GET', `${prefix}/_emulator/ledger`)
  if (!answer || !inOrder(answer)) return
  const ledger = dataOf(answer) as { readonly balanced: boolean; readonly problems: readonly string[] }
  if (!ledger.balanced) broken('ledger', `the emulator says itself: ${ledger.problems.join(', ')}`)
}

const deeds: readonly Deed[] = [
  (ask) => balanced(ask),
  async (ask, random) => {
    const path = random.pick(readings)
    const answer = await ask('GET', path)
    if (answer?.status === 500) broken('no fault', `${path} is answered ${answer.text}`)
  },
  // Reads one request or delivery of a list, in full.
  async (ask, random) => {
    const list = random.pick(['requests', 'deliveries'])
    const answer = await ask('GET', `/_emulator/${list}`)
    if (!answer || !inOrder(answer)) return
    const all = dataOf(answer) as readonly { readonly id: string | number }[]
    if (all.length > 0) await ask('GET', `/_emulator/${list}/${random.pick(all).id}`)
  },
  async (ask, random) => {
    const made = await ask('POST', '/_emulator/tokens', { scopes: ['read-user'], expires_in: 60 })
    if (made && inOrder(made) && random.chance(0.5)) await ask('DELETE', `/_emulator/tokens/${dataOf(made).id}`)
  },
  async (ask, random) => {
    const name = `kept-${random.integer(1, 3)}`
    await ask('POST', '/_emulator/snapshots', { name, replace: true })
    if (random.chance(0.5)) await inWorld({ snapshot: name }, ask, random)
    if (random.chance(0.5)) await ask('DELETE', `/_emulator/snapshots/${name}`)
  },
  (ask, random) => inWorld({ seed: random.pick(['demo', 'empty']) }, ask, random),
  (ask, random) => inWorld({ world: 'default' }, ask, random),
]

/** Makes a world, uses it, and ends it or lets it expire. The default world stays unchanged. */
async function inWorld(from: object, ask: Ask, random: Random): Promise<void> {
  const answer = await ask('POST', '/_emulator/worlds', { from, ttl_seconds: random.integer(1, 600) })
  if (!answer || !inOrder(answer)) return
  const { name } = dataOf(answer) as { readonly name: string }
  const world = `/w/${name}`
  for (let left = random.integer(1, 6); left > 0; left -= 1) await random.pick(happenings)(world, ask, random)
  await balanced(ask, world)
  if (random.chance(0.7)) await ask('DELETE', `/_emulator/worlds/${name}`)
}

type Happening = (world: string, ask: Ask, random: Random) => Promise<unknown>

const happenings: readonly Happening[] = [
  (world, ask, random) => ask('GET', `${world}${random.pick(readings)}`),
  (world, ask, random) =>
    ask('POST', `${world}/_emulator/clock/advance`, { ms: random.integer(1, 100_000), delivery_timeout_ms: 1000 }),
  (world, ask) => ask('POST', `${world}/_emulator/clock/run-until-idle`, { ms: 60_000, delivery_timeout_ms: 1000 }),
  async (world, ask) => {
    await ask('POST', `${world}/_emulator/clock/freeze`)
    await ask('POST', `${world}/_emulator/clock/unfreeze`)
  },
  (world, ask, random) => ask('POST', `${world}/_emulator/clock/speed`, { speed: random.pick([0.5, 2, 100]) }),
  (world, ask, random) =>
    ask('POST', `${world}/_emulator/credits`, { to: demo.accounts[0].id, amount: random.integer(1, 5000) }),
  (world, ask, random) => ask('POST', `${world}/_emulator/rails`, { pin: random.pick(['online', 'offline']) }),
  (world, ask, random) => ask('POST', `${world}/_emulator/fees`, { sinpe_movil: random.integer(0, 500) }),
  (world, ask, random) => ask('POST', `${world}/_emulator/rate-limit`, { limit: random.integer(1, 60) }),
  (world, ask, random) =>
    ask('POST', `${world}/_emulator/accounts/${demo.accounts[0].id}`, { balance: random.integer(0, 9_000_000) }),
  (world, ask) => ask('POST', `${world}/_emulator/users`, { name: 'Otra Persona' }),
  (world, ask) => ask('POST', `${world}/_emulator/reset`),
  // Adds a fault rule, and sends a request that matches it.
  async (world, ask, random) => {
    const fault = random.pick([
      { status: 500 },
      { delay_ms: 300 },
      ...requestFaults.map((fault) => (fault === 'hold_answer' ? { fault, delay_ms: 300 } : { fault })),
    ])
    await ask('POST', `${world}/_emulator/faults`, { endpoint: 'accounts.list', ...fault })
    await ask('GET', `${world}/api/accounts`)
    if (random.chance(0.3)) await ask('DELETE', `${world}/_emulator/faults`)
  },
  (world, ask) => ask('GET', `${world}/_emulator/export`),
]
