import type { AddressInfo } from 'node:net'
import type { ControlOutputOf, Currency, FaultBody } from '../src/contract/index.ts'
import { endOfTime } from './clock.ts'
import { addUncheckedFault } from './control/faults.ts'
import { checkLedger } from './control/index.ts'
import type { HttpServer } from './http_server.ts'
import { checkOptions, type EmulatorOptions } from './options.ts'
import { refuseWeakSecrets } from './secret_strength.ts'
import { demo } from './seed.ts'
import { buildServer } from './server.ts'
import { newSecret } from './store/secret.ts'
import { Worlds } from './worlds.ts'

export type { FaultBody, FaultRule } from '../src/contract/index.ts'
export type { AnsweredRequest, EmulatorOptions, Settle } from './options.ts'
export { EmulatorRefusal } from './options.ts'

/** A running emulator. */
export interface Emulator {
  /** The address it listens on. */
  readonly host: string
  /** Where it answers on this machine, also when it listens on all addresses. */
  readonly baseUrl: string
  readonly authUrl: string
  readonly controlUrl: string
  /** Bearer token of the seeded user, with every scope. */
  readonly token: string
  /** Bearer token of control endpoints; null if they need none. */
  readonly controlToken: string | null
  readonly clientId: string
  readonly clientSecret: string
  /** A server that knows it proves to be this emulator: `GET /_emulator/identity`. */
  readonly identitySecret: string
  /** Id of the current world; a reset makes another. */
  readonly world: string
  /** The seeded user's accounts, oldest first; balances in minor units. */
  accounts(): readonly SeededAccount[]
  readonly control: Control
  /** Stops answering and closes the database. Safe to call twice. */
  close(): Promise<void>
}

export interface SeededAccount {
  readonly id: string
  readonly iban: string
  readonly currency: Currency
  readonly balance: number
}

/** Controls a running emulator from its own process. */
export interface Control {
  /** Moves the clock forward by whole milliseconds; resolves when everything that fell due on the way has happened. */
  advanceClock(ms: number): Promise<void>
  /** Puts everything back to the seed. */
  reset(): Promise<void>
  /**
   * Has requests end in an error or a broken answer, or deliveries of webhooks go wrong: `times` times (1 by default;
   * null: always). Throws what is wrong with the rule.
   */
  addFault(fault: FaultBody): void
  clearFaults(): void
  /** Whether every movement sums to zero and every balance is the sum of its entries. */
  checkLedger(): ControlOutputOf<'control.ledger'>
}

/**
 * Starts an emulator in this process.
 * Throws EmulatorRefusal for a wrong option, when the data file can't be used or the host needs better secrets, and what
 * `listen` throws (`code: 'EADDRINUSE'`) when the port is taken.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options)
  refuseWeakSecrets(options)
  const { host = '127.0.0.1', port = 0, controlToken, onRequest } = options
  // Asked when a delivery leaves: the server listens by then.
  const worlds = new Worlds(options, () => server.addresses())
  const identitySecret = newSecret()
  const server: HttpServer = buildServer({ worlds, controlToken, identitySecret, onRequest })
  try {
    await server.listen({ host, port })
  } catch (error) {
    await worlds.close()
    throw error
  }
  const [address] = server.addresses() as [AddressInfo]
  const baseUrl = urlOf(address)
  let closing: Promise<void> | undefined
  const close = async () => {
    await server.close()
    await worlds.close()
  }
  return {
    host: address.address,
    baseUrl,
    authUrl: baseUrl,
    controlUrl: baseUrl,
    token: worlds.options.token,
    controlToken: controlToken ?? null,
    clientId: demo.clientId,
    clientSecret: worlds.options.clientSecret,
    identitySecret,
    get world() {
      return worlds.current.id
    },
    accounts: () => worlds.current.store.accounts.list(demo.user.seq, { limit: 100, offset: 0 }).items.map(summary),
    control: {
      async advanceClock(ms) {
        if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`advanceClock takes milliseconds, and got ${ms}.`)
        const world = worlds.current
        if (world.clock.now() + ms > endOfTime) throw new RangeError('The clock can’t go beyond the year 9998.')
        await world.advanceClock(ms)
      },
      reset: async () => void (await worlds.reset()),
      addFault: (body) => addUncheckedFault(body, { world: worlds.current }),
      clearFaults: () => void worlds.current.faults.clear(),
      checkLedger: () => checkLedger(worlds.current),
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}

const summary = ({ id, iban, currency, balance }: SeededAccount): SeededAccount => ({ id, iban, currency, balance })

/** Clients on some systems cannot connect to `0.0.0.0` or `::`, so loopback stands for all addresses. */
function urlOf({ address, port, family }: AddressInfo): string {
  const isIPv6 = family === 'IPv6'
  const reachable = /^[0.:]+$/.test(address) ? (isIPv6 ? '::1' : '127.0.0.1') : address
  const host = isIPv6 ? `[${reachable}]` : reachable
  return `http://${host}:${port}`
}
