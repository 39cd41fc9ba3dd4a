import { readFile } from 'node:fs/promises'
import { chaosOf } from '../../emulator/chaos/setting.ts'
import { unknownOption } from '../../emulator/check_options.ts'
import { type ControlCalls, ControlRefusal } from '../../emulator/control_calls.ts'
import type { SeededAccount } from '../../emulator/index.ts'
import { type ChaosOption, EmulatorRefusal } from '../../emulator/options.ts'
import type { StrictClient } from '../client/client.ts'
import type { createClient } from '../client/create_client.ts'
import { type ChaosBody, type CreatedWorld, Origin, type WorldUser } from '../contract/index.ts'
import { type Until, untilIn } from './until.ts'

/** What a world is made with. */
export interface NewWorldOptions {
  /** Up to 63 lower case letters, digits, dots, dashes and underscores; generated when it is left out, and given once. */
  readonly name?: string
  /**
   * Seeds its random values, with `rngSeed`, and what goes wrong there by chance, with the `chaos` of the emulator: any
   * string. Its name when it is left out. Worlds of one stream draw the same.
   */
  readonly rngStream?: string
  /**
   * `{ seed }`, `{ snapshot }`, `{ world }` or `{ file }`: one of them. The seed of the emulator when it is left out. A
   * file is one that was exported: its path or its bytes.
   */
  readonly from?: Origin | { readonly file: string | Uint8Array }
  /** Ends when it was idle for so long, in milliseconds of real time; rounded up to seconds. For ever when it is left out. */
  readonly ttl?: number
  /** Where it also answers without `/w/<name>`; 0 for any free port. */
  readonly port?: number
  /** What goes wrong there by chance. That of the emulator when it is left out; null: nothing. */
  readonly chaos?: ChaosOption | null
}

/** A world of a running emulator. It shares nothing with other worlds. */
export interface EmulatorWorld extends AsyncDisposable {
  readonly name: string
  /**
   * Id of the world. `client` and `control` send it as `X-Emulator-World`: once the world has ended they are refused (410),
   * and never reach a new world of its name.
   */
  readonly worldId: string
  readonly baseUrl: string
  readonly authUrl: string
  readonly controlUrl: string
  /** Bearer token of the seeded user, with every scope. */
  readonly token: string
  readonly clientId: string
  readonly clientSecret: string
  /** The seeded user. */
  readonly user: WorldUser
  /** The seeded user's accounts, oldest first, as they were when the world was made; balances in minor units. */
  accounts(): readonly SeededAccount[]
  /**
   * A client with the token. It is strict, so that its types are exact, and makes no second attempt, so that a test sees
   * every answer; `client.with({ retries: 3 })` does. It closes with the world.
   */
  readonly client: StrictClient
  readonly control: ControlCalls
  readonly until: Until
  /** Ends it, with its timers, deliveries and connections; later requests to it are answered with 410. Safe to call twice. */
  close(): Promise<void>
}

/** How worlds are made and reached. */
export interface Reach {
  /** Controls the world that makes others. */
  readonly control: ControlCalls
  /** Controls a world, and no later one of its name. */
  readonly controlOf: (made: CreatedWorld) => ControlCalls
  readonly createClient: typeof createClient
}

/**
 * Throws EmulatorRefusal for options that there are not and a file that can’t be read or is no profile, and ControlRefusal for
 * values that are refused.
 */
export async function makeWorld(options: NewWorldOptions, reach: Reach): Promise<EmulatorWorld> {
  checkNames(options, 'world()', names)
  const { ttl, from, chaos, rngStream, ...others } = options
  const { worlds, import: importFile } = reach.control
  const given = {
    ...others,
    ...(rngStream !== undefined && { rng_stream: rngStream }),
    ...(ttl !== undefined && { ttl_seconds: Math.ceil(ttl / 1000) }),
    ...(chaos !== undefined && { chaos: chaos && (await chaosBody(chaos)) }),
  }
  if (from !== undefined) checkNames(from, 'from', [...Object.keys(Origin.properties), 'file'])
  const made =
    from && 'file' in from
      ? await importFile({ ...given, file: await bytesOf(from) })
      : await worlds.create({ ...given, ...(from && { from }) })
  const control = reach.controlOf(made)
  const end = () => control.worlds.delete({ name: made.name }).then(() => {}, unlessEnded)
  return worldOf(made, { control, end, createClient: reach.createClient })
}

/** The emulator may run elsewhere: a file is read here. */
async function chaosBody(chaos: ChaosOption): Promise<ChaosBody> {
  if (chaos.profileFile === undefined) return chaos
  const { profileFile, ...given } = chaos
  return { ...given, profile: (await chaosOf(chaos)).profile }
}

async function bytesOf({ file, ...others }: { readonly file: string | Uint8Array }): Promise<Uint8Array> {
  if (Object.keys(others).length > 0) {
    throw new EmulatorRefusal('A world is made from one thing.', 'Give a file, or a seed, a snapshot or a world.')
  }
  if (file instanceof Uint8Array) return file
  return readFile(file).catch((error: Error) => {
    throw new EmulatorRefusal(`The file of the world can’t be read: ${error.message}.`, 'Give one that is there.')
  })
}

const names = ['name', 'rngStream', 'from', 'ttl', 'port', 'chaos'] as const satisfies (keyof NewWorldOptions)[]

/** Throws EmulatorRefusal for what is not an object, and for an option that `taker` does not know. */
export function checkNames(options: unknown, taker: string, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new EmulatorRefusal(
      `${taker} takes an object of options, and got ${options}.`,
      `There are ${known.join(', ')}.`,
    )
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownOption(unknown, taker, known)
}

/** It may have been deleted, have expired, or have ended with its emulator. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof ControlRefusal && [404, 410].includes(error.status))) throw error
}

interface Parts extends Pick<Reach, 'control' | 'createClient'> {
  /** What closing it does, once, after its client has been closed. */
  readonly end: () => Promise<void>
}

/** A world as its user sees it. The client is made when it is first used. */
export function worldOf(made: CreatedWorld, { control, createClient, end }: Parts): EmulatorWorld {
  const { base_url: baseUrl, token, id: worldId } = made
  let client: StrictClient | undefined
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= Promise.resolve(client?.close()).then(end)
    return closing
  }
  return {
    name: made.name,
    worldId,
    baseUrl,
    authUrl: made.auth_url,
    controlUrl: made.control_url,
    token,
    clientId: made.client_id,
    clientSecret: made.client_secret,
    user: made.user,
    accounts: () => made.accounts,
    get client() {
      client ??= createClient({ baseUrl, token, world: worldId, strict: true, retries: 0 })
      return client
    },
    control,
    until: untilIn(control),
    close,
    [Symbol.asyncDispose]: close,
  }
}
