import type { CreatedWorld, Currency, Origin, WorldUser } from '../src/contract/index.ts'
import type { ControlCalls } from './control_calls.ts'
import { EmulatorRefusal } from './options.ts'

export interface NewWorldOptions {
  /** Up to 63 lower case letters, digits, dots, dashes and underscores; made up when it is left out. */
  readonly name?: string
  /** `{ seed }`, `{ snapshot }` or `{ world }`: one of them. The seed of the emulator when it is left out. */
  readonly from?: Origin
  /** Ends when it was idle for so long, in milliseconds of real time; rounded up to seconds. For ever when it is left out. */
  readonly ttl?: number
  /** Where it also answers without `/w/<name>`; 0 for any free port. */
  readonly port?: number
}

export interface SeededAccount {
  readonly id: string
  readonly iban: string
  readonly currency: Currency
  readonly balance: number
}

/** A world of a running emulator. It shares nothing with other worlds. */
export interface EmulatorWorld extends AsyncDisposable {
  readonly name: string
  readonly baseUrl: string
  readonly authUrl: string
  readonly controlUrl: string
  /** Bearer token of the seeded user, with every scope. */
  readonly token: string
  readonly clientId: string
  readonly clientSecret: string
  /** The seeded user. */
  readonly user: WorldUser
  /** The seeded user's accounts, oldest first; balances in minor units. */
  accounts(): readonly SeededAccount[]
  readonly control: ControlCalls
  /** Ends it, with its timers, deliveries and connections; later requests to it are answered with 410. Safe to call twice. */
  close(): Promise<void>
}

interface Surroundings {
  /** The control endpoints of the world that makes others, and of the one of that name. */
  readonly control: ControlCalls
  readonly controlOf: (name: string) => ControlCalls
  readonly accountsOf: (name: string) => readonly SeededAccount[]
  readonly end: (name: string) => Promise<void>
}

/** Throws EmulatorRefusal for options that there are not, and ControlRefusal for values that are refused. */
export async function makeWorld(options: NewWorldOptions, around: Surroundings): Promise<EmulatorWorld> {
  const { name: wanted, from, ttl, port, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw new EmulatorRefusal(`world() has no option '${unknown}'.`, 'There are name, from, ttl, port.')
  }
  const made: CreatedWorld = await around.control.worlds.create({
    ...(wanted !== undefined && { name: wanted }),
    ...(from !== undefined && { from }),
    ...(ttl !== undefined && { ttl_seconds: Math.ceil(ttl / 1000) }),
    ...(port !== undefined && { port }),
  })
  const { name } = made
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= around.end(name)
    return closing
  }
  return {
    name,
    baseUrl: made.base_url,
    authUrl: made.auth_url,
    controlUrl: made.control_url,
    token: made.token,
    clientId: made.client_id,
    clientSecret: made.client_secret,
    user: made.user,
    accounts: () => around.accountsOf(name),
    control: around.controlOf(name),
    close,
    [Symbol.asyncDispose]: close,
  }
}
