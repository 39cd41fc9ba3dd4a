/// <reference lib="esnext.disposable" preserve="true" />
import type { AddressInfo } from 'node:net'
import {
  type ControlOutputOf,
  type Currency,
  controlEndpoints,
  defaultWorld,
  type FaultBody,
  type Report,
  type WorldUser,
} from '../src/contract/index.ts'
import { chaosOf } from './chaos/setting.ts'
import { checkOptions } from './check_options.ts'
import { endOfTime } from './clock.ts'
import { type ControlCalls, ControlRefusal, controlCalls } from './control/calls.ts'
import { checkLedger } from './control/counts.ts'
import { addUncheckedFault } from './control/faults.ts'
import { runControl } from './control/index.ts'
import { shownUser } from './control/users.ts'
import { Refusal } from './domain/refusal.ts'
import { portlessUrl, withoutSlash } from './http/addresses.ts'
import type { ControlContext } from './http/context.ts'
import { refusalMessage } from './http/envelope.ts'
import { PageCodes } from './http/page_codes.ts'
import type { HttpServer } from './http/server.ts'
import { emulatorStops } from './observation/waits.ts'
import type { EmulatorOptions } from './options.ts'
import { refuseWeakSecrets } from './secret_strength.ts'
import { withSeed } from './seed_file/load.ts'
import { buildServer } from './server.ts'
import { newSecret } from './store/secret.ts'
import type { FunctionAt } from './webhooks/hand_over.ts'
import { demo } from './worlds/seed.ts'
import { Worlds } from './worlds/worlds.ts'

export { chaosOf } from './chaos/setting.ts'
export { type ControlCalls, ControlRefusal } from './control/calls.ts'
export type { AnsweredRequest, EmulatorOptions, RailSettle, Settle, WorldChange } from './options.ts'
export { EmulatorRefusal } from './options.ts'
export { seedShapeInFile } from './seed_file/load.ts'
export { ContentRefusal } from './seed_file/problems.ts'
export type { FunctionAt, ReceivingFunction } from './webhooks/hand_over.ts'

/** An account of the seeded user. */
export interface SeededAccount {
  readonly id: string
  readonly iban: string
  readonly currency: Currency
  /** Minor units. */
  readonly balance: number
}

/** A running emulator. */
export interface Emulator extends AsyncDisposable {
  /** Address that the emulator listens on; empty without a port. */
  readonly host: string
  /** URL for clients on this machine, even if the emulator listens on all addresses. */
  readonly baseUrl: string
  readonly authUrl: string
  /**
   * URL for clients elsewhere: the option `publicUrl` without a final slash, or the base URL if the option is not set.
   */
  readonly publicUrl: string
  readonly controlUrl: string
  /** Bearer token of the seeded user, with every scope. */
  readonly token: string
  /** Bearer token of control endpoints; null if they require none. */
  readonly controlToken: string | null
  readonly clientId: string
  readonly clientSecret: string
  /** Proves that a server is this emulator: see `GET /_emulator/identity`. */
  readonly identitySecret: string
  /** Id of the default world; each reset makes a world with a new id. */
  readonly worldId: string
  /** The seeded user. */
  readonly user: WorldUser
  /** The seeded user's accounts, oldest first; balances in minor units. */
  accounts(): readonly SeededAccount[]
  readonly control: Control
  /**
   * `fetch` without a socket, but with the same answers as over a port: streams, lost connections and broken bodies
   * included. It ignores the origin of the URL; a path without `/w/<name>` goes to the default world.
   */
  readonly fetch: typeof fetch
  /** A `fetch` whose paths without `/w/<name>` go to the world of this name. For `id`, see `controlOf`. */
  fetchOf(world: string, id?: string): typeof fetch
  /**
   * If `functionAt` finds a function of this process for a delivery, the function gets the delivery, which is then not
   * sent. `onEnded`: called with the name of a world that has ended.
   */
  deliverTo(functionAt: FunctionAt, onEnded: (world: string) => void): void
  /**
   * Report on all worlds since the emulator started, including ended worlds: how they were used, and what was found.
   */
  report(): Report
  /** Controls the world of this name. With `id`, calls fail with 410 once the world of that id has ended. */
  controlOf(world: string, id?: string): ControlCalls
  /**
   * Takes no new connections, answers the requests under way, and closes each connection after its next answer.
   * Requests that wait for a change get a 503. Resolves within 5 seconds. Close the emulator afterwards.
   */
  drain(): Promise<void>
  /** Stops answering and closes the databases of all worlds. Safe to call twice. */
  close(): Promise<void>
}

/** Controls the default world of an emulator in this process: all control endpoints, and shorthands for some. */
export interface Control extends ControlCalls {
  /** Moves the clock forward by whole milliseconds; resolves when all work due on the way is done. */
  advanceClock(ms: number): Promise<void>
  /**
   * Adds a fault rule: requests end in an error or a broken answer, or webhook deliveries fail. The rule fires `times`
   * times; null: always. The default is 1, or null if the rule has `until` or `probability`. Throws an error that says
   * what is wrong with the rule.
   */
  addFault(fault: FaultBody): void
  clearFaults(): void
  /**
   * Checks that every movement sums to zero, that balances and holds match the ledger entries, and that the entries
   * match the payments' statuses.
   */
  checkLedger(): ControlOutputOf<'control.ledger'>
}

/**
 * Starts an emulator in this process. Throws EmulatorRefusal for a wrong option, for a file that can't be used, and for
 * secrets too weak for the host. Throws the error of `listen` if the port is taken (`code: 'EADDRINUSE'`).
 */
export async function startEmulator(given: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(given)
  refuseWeakSecrets(given)
  const { chaos, ...rest } = given
  const sharing = given.teams === undefined ? undefined : await (await import('./teams/sharing.ts')).sharingOf(given)
  const owner = sharing && { owner: sharing.ownerOf }
  const options = await withSeed({ ...rest, ...owner, ...(chaos && { chaos: await chaosOf(chaos) }) })
  const { host = '127.0.0.1', port = 0, socket, publicUrl, controlToken, onRequest, onNotice } = options
  // Called when a delivery is sent: the server is listening by then.
  const worlds = new Worlds(options, () => server.addresses())
  const identitySecret = newSecret()
  const pageCodes = new PageCodes({ controlToken, clock: worlds.clock, onNotice })
  const teams = sharing?.accessTo(worlds)
  const server: HttpServer = buildServer({
    worlds,
    controlToken,
    teams,
    identitySecret,
    publicUrl,
    onRequest,
    pageCodes,
  })
  try {
    if (socket !== undefined) await server.listenOn(socket)
    else if (port !== false) await server.listen({ host, port })
  } catch (error) {
    sharing?.close()
    await worlds.close()
    throw error
  }
  const [address] = server.addresses()
  const baseUrl = address ? urlOf(address) : portlessUrl
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    if (closing) return closing
    for (const { world } of worlds.all()) world.events.end('stopped')
    closing = server
      .close()
      .then(() => worlds.close())
      .finally(() => sharing?.close())
    return closing
  }
  const drain = (): Promise<void> => {
    for (const { world } of worlds.all()) {
      world.events.end('stopped')
      world.waits.end(emulatorStops())
    }
    worlds.isDraining = true
    return server.drain()
  }
  const listenFor = (name: string, onPort: number) => server.listenFor(name, onPort)
  const controlOf = controlOver({
    worlds,
    identitySecret,
    listenFor,
    pageCodes,
    url: () => baseUrl,
    emulatorUrl: () => baseUrl,
  })
  const fetchOf =
    (world: string, worldId?: string): typeof fetch =>
    (input, init) =>
      server.fetch(input, init, { world, worldId, base: baseUrl })
  return {
    host: address?.address ?? '',
    baseUrl,
    authUrl: baseUrl,
    publicUrl: publicUrl === undefined ? baseUrl : withoutSlash(new URL(publicUrl).href),
    controlUrl: baseUrl,
    token: worlds.options.token,
    controlToken: controlToken ?? null,
    clientId: demo.clientId,
    clientSecret: worlds.options.clientSecret,
    identitySecret,
    get worldId() {
      return worlds.current.id
    },
    get user() {
      return shownUser(worlds.current.store.users.get(demo.user.seq))
    },
    accounts: () => worlds.current.store.accounts.list(demo.user.seq, { limit: 100, offset: 0 }).items.map(summary),
    control: { ...controlOf(defaultWorld), ...shorthands(worlds) },
    report: () => worlds.report(),
    controlOf,
    fetch: fetchOf(defaultWorld),
    fetchOf,
    deliverTo(functionAt, onEnded) {
      worlds.transport.functionAt = functionAt
      const { onEnded: stopListening } = worlds
      worlds.onEnded = (name) => {
        stopListening(name)
        onEnded(name)
      }
    },
    drain,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Controls worlds by name, with the checks and effects of HTTP. */
const controlOver =
  (emulator: Omit<ControlContext, 'world' | 'name'> & { readonly worlds: Worlds }) =>
  (name: string, worldId?: string): ControlCalls =>
    controlCalls(async (id, request) => {
      emulator.worlds.use(name, worldId)
      try {
        const { data } = await runControl(id, { ...emulator, name, worldId, request: { ...request, headers: {} } })
        // A handler's result may be part of the world: the caller gets a copy, as over HTTP.
        return data instanceof Uint8Array ? data : JSON.parse(JSON.stringify(data))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const message = refusalMessage(error, controlEndpoints[id], request.params as Readonly<Record<string, string>>)
        throw new ControlRefusal(error.status, message, error.errors)
      }
    })

/** Members of `control` besides the endpoints. */
const shorthands = (worlds: Worlds): Omit<Control, keyof ControlCalls> => ({
  async advanceClock(ms) {
    if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`advanceClock takes milliseconds, but got ${ms}.`)
    const world = worlds.current
    if (world.clock.now() + ms > endOfTime) throw new RangeError('The clock can’t go beyond the year 9998.')
    await world.advanceClock(ms)
  },
  addFault: (body) => addUncheckedFault(body, worlds.current),
  clearFaults: () => void worlds.current.faults.clear(),
  checkLedger: () => checkLedger(worlds.current),
})

const summary = ({ id, iban, currency, balance }: SeededAccount): SeededAccount => ({ id, iban, currency, balance })

/**
 * URL for an address that the server listens on. Loopback replaces `0.0.0.0` and `::`: clients on some systems can't
 * connect to these.
 */
function urlOf({ address, port, family }: AddressInfo): string {
  const isIPv6 = family === 'IPv6'
  const reachable = /^[0.:]+$/.test(address) ? (isIPv6 ? '::1' : '127.0.0.1') : address
  const host = isIPv6 ? `[${reachable}]` : reachable
  return `http://${host}:${port}`
}
