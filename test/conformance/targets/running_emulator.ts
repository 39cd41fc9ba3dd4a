import { withoutWorld, worldUrl } from '../../../src/contract/emulator_names.ts'
import { idempotencyHeader } from '../../../src/contract/headers.ts'
import { exchangeAt } from '../http_exchange.ts'
import type { Target, World } from '../target.ts'
import { controlCalls, controlOver } from './control_over.ts'

interface RunningEmulator {
  /** URL of the emulator, or of one of its worlds. */
  readonly baseUrl: string
  /** Undefined if the emulator has no control token. */
  readonly controlToken: string | undefined
  /** True if payments take the time that the cases assume: the cases can then move the clock to each step. */
  readonly settlesAsUsual: boolean
}

/** A world that a run left behind ends after this idle time, in seconds. */
const worldLife = 600

/** Milliseconds that a payment takes at `payctl emulate` without --settle. */
const usualSettle = 1000

/** An emulator on this machine. The cases make their own worlds in this emulator, and do not touch other worlds. */
export const runningEmulator = (emulator: RunningEmulator): Target => ({
  name: 'service',
  reach: emulator.settlesAsUsual ? 'control' : 'none',
  listens: new URL(emulator.baseUrl).protocol === 'http:',
  start: ({ rateLimit } = {}) => openWorld(emulator, rateLimit),
})

async function openWorld(emulator: RunningEmulator, rateLimit?: number): Promise<World> {
  const { baseUrl, controlToken, settlesAsUsual } = emulator
  const call = controlCalls(exchangeAt(withoutWorld(baseUrl)), controlToken)
  const body = { from: { seed: 'demo' }, chaos: null, ttl_seconds: worldLife } as const
  const { name, token, client_id, client_secret } = await call('control.worlds.create', { body })
  const { href, hostname, port, pathname } = new URL(worldUrl(baseUrl, name))
  const exchange = exchangeAt(href)
  const callWorld = controlCalls(exchange, controlToken)
  if (settlesAsUsual) await callWorld('control.clock.freeze')
  if (rateLimit !== undefined) await callWorld('control.rateLimit.set', { body: { limit: rateLimit } })
  return {
    token,
    emulated: true,
    address: { host: hostname, port: Number(port || 80), path: pathname },
    oauth: { exchange, client: { id: client_id, secret: client_secret }, controlToken },
    exchange,
    control: controlOver(exchange, controlToken),
    inside: null,
    async close() {
      await call('control.worlds.delete', { params: { name } })
    },
  }
}

/** True if a payment of the emulator is under way for the usual time, and then completes. */
export async function doesSettleAsUsual(emulator: Omit<RunningEmulator, 'settlesAsUsual'>): Promise<boolean> {
  const { exchange, token, control, close } = await openWorld({ ...emulator, settlesAsUsual: true })
  const ask = async (method: string, url: string, body?: object) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', [idempotencyHeader]: 'a' }
    const { text } = await exchange({ method, url, headers, ...(body && { payload: JSON.stringify(body) }) })
    return JSON.parse(text).data
  }
  try {
    const payer = (await ask('GET', '/api/accounts'))?.data[0].id
    const payee = (await ask('POST', '/api/accounts', { currency: 'CRC' }))?.iban
    const order = { source_account_id: payer, amount: 1, recipient_iban: payee }
    const id = (await ask('POST', '/api/payments', order))?.id
    if (id === undefined) return true // the cases report the problem
    const statusAfter = async (ms: number) => {
      await control?.advanceClock(ms)
      return (await ask('GET', `/api/payments/${id}`))?.status
    }
    return (await statusAfter(usualSettle - 1)) === 'processing' && (await statusAfter(1)) === 'completed'
  } finally {
    await close()
  }
}
