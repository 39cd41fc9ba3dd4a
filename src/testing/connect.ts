import { type ControlCalls, ControlRefusal, controlCalls } from '../../emulator/control/calls.ts'
import { EmulatorRefusal } from '../../emulator/options.ts'
import type { ClientOptions } from '../client/client.ts'
import type { ControlClient } from '../client/control_client.ts'
import { controlEndpoints, defaultWorld, type Endpoint, worldPath, worldUrl } from '../contract/index.ts'
import { ApiError } from '../errors/service_errors.ts'
import {
  type CompareWorlds,
  checkNames,
  comparedBy,
  type EmulatorWorld,
  makeWorld,
  type NewWorldOptions,
  type Reach,
  worldOf,
} from './world.ts'

/** A running emulator, and the world that its URL selects. */
export interface ConnectedEmulator extends EmulatorWorld {
  /**
   * Creates another world, saved in a file if the emulator has a folder of worlds, otherwise in memory. Throws
   * EmulatorRefusal or ControlRefusal.
   */
  world(options?: NewWorldOptions): Promise<EmulatorWorld>
  /**
   * Compares the events of two worlds by their causes: `same` is true if the events do not differ. Throws
   * ControlRefusal for a world that does not exist.
   */
  readonly compare: CompareWorlds
  /** Closes the connections to the emulator, which keeps running. */
  close(): Promise<void>
}

export interface ConnectOptions {
  /** Control URL of the emulator or one of its worlds: `http://127.0.0.1:4010`, `http://127.0.0.1:4010/w/shop-7`. */
  readonly url: string
  /** The emulator's control token, if the emulator requires it. */
  readonly controlToken?: string | undefined
}

/**
 * Time limit for an answer: covers the longest wait (ten minutes), and a move of the clock, which waits for all webhook
 * receivers.
 */
const answerTimeoutMs = 30 * 60_000

/**
 * Connects to an emulator in another process, such as the emulator of `payctl emulate -- npm test`. Throws
 * EmulatorRefusal for a wrong option, InvalidRequestError for a wrong URL, NetworkError if nothing answers there, and
 * ControlRefusal for a wrong control token or an unknown world.
 */
export async function connectEmulator(options: ConnectOptions): Promise<ConnectedEmulator> {
  checkNames(options, 'connectEmulator', ['url', 'controlToken'])
  const { url, controlToken: token } = options
  if (!URL.canParse(url)) {
    throw new EmulatorRefusal('connectEmulator takes the URL of an emulator.', 'Give the URL in PAYCTL_CONTROL_URL.')
  }
  const [{ createClient }, { createControlClient }, { sharedAgent }, { normalUrl }, { fetchAt }] = await Promise.all([
    import('../client/create_client.ts'),
    import('../client/control_client.ts'),
    import('../client/connection.ts'),
    import('../client/base_url.ts'),
    import('../client/fetch_at.ts'),
  ])
  // The calls of all tests share connections, because opening a connection costs as much as a call.
  const agent = await sharedAgent(new URL(url).origin)
  const controlAt = (baseUrl: string, world?: string): ControlClient =>
    createControlClient({ baseUrl, world, agent, ...(token && { token }), strict: true, timeout: answerTimeoutMs })
  const [, name = defaultWorld] = new RegExp(`${worldPath}/([^/]+)/?$`).exec(url) ?? []
  const first = controlAt(url)
  const made = await remoteControl(first)
    .worlds.get({ name })
    .catch((error) => {
      agent.destroy()
      throw error
    })
  const own = controlAt(url, made.id)
  const control = remoteControl(own)
  const close = () => own.close().then(() => agent.destroy())
  const baseUrl = normalUrl(url)
  const urls = { base_url: baseUrl, auth_url: baseUrl, control_url: baseUrl }
  const eventsOf: Reach['eventsOf'] = ({ name, id }) =>
    eventsAt({ url: worldUrl(baseUrl, name), controlToken: token }, id)
  const trafficOf: Reach['trafficOf'] = ({ name, id }) => ({ fetch: fetchAt(worldUrl(baseUrl, name), id), receive })
  const home = worldOf(
    { ...made, ...urls },
    {
      ...{ control, createClient, end: close, isShared: true },
      events: eventsAt({ url, controlToken: token }, made.id),
      ...trafficOf({ ...made, name }),
    },
  )
  // Uses the emulator's URL, not the world's own port: the port closes with the world, and a second `close` would fail.
  // Unused connections close by themselves, and the connections of a world end with it.
  const controlOf: Reach['controlOf'] = ({ name, id }) => remoteControl(controlAt(worldUrl(baseUrl, name), id))
  const reach: Reach = { control, createClient, controlOf, eventsOf, trafficOf }
  return Object.assign(home, {
    world: (options: NewWorldOptions = {}) => makeWorld(options, reach),
    compare: comparedBy(control),
  })
}

/** Every control endpoint over HTTP, with the same refusals as within a process. */
const remoteControl = (client: ControlClient): ControlCalls =>
  controlCalls(async (id, { params, query, body }) => {
    const row: Endpoint = controlEndpoints[id]
    try {
      return await client.call(id, { params, query, ...(row.body && { body }) } as never)
    } catch (error) {
      throw refusalOf(error)
    }
  })

function refusalOf(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { status, message, errors } = error
  return new ControlRefusal(status, message, typeof errors === 'object' && errors !== null ? errors : {})
}

/** Refuses a receiving function: the emulator's process can't call functions of this process. */
function receive(): never {
  throw new EmulatorRefusal(
    'The emulator runs in another process, which can’t call a function of this process.',
    'Listen at the URL of the subscription, or start the emulator in this process: startEmulator().',
  )
}

type EventSource = ConnectOptions & Pick<ClientOptions, 'fetch'>

/** The events of the world with this id; each call opens a new connection. */
export const eventsAt = (source: EventSource, worldId: string): EmulatorWorld['events'] =>
  async function* () {
    const { url, controlToken: token, fetch } = source
    const { createControlClient } = await import('../client/control_client.ts')
    const control = createControlClient({ baseUrl: url, world: worldId, fetch, ...(token && { token }) })
    try {
      yield* control.events()
    } catch (error) {
      throw refusalOf(error)
    } finally {
      await control.close()
    }
  }
