import { checkOptions } from '../../emulator/check_options.ts'
import type { Emulator as EmulatorServer, SeededAccount } from '../../emulator/index.ts'
import { type EmulatorOptions, EmulatorRefusal } from '../../emulator/options.ts'
import { defaultWorld, worldUrl } from '../contract/index.ts'
import { type ConnectedEmulator, connectEmulator, eventsAt } from './connect.ts'
import { ReceivingFunctions } from './receiving_functions.ts'
import { comparedBy, makeWorld, type NewWorldOptions, type Reach, worldOf } from './world.ts'

/** An emulator in this process, and its default world. */
export interface Emulator
  extends Omit<EmulatorServer, 'controlOf' | 'fetchOf' | 'deliverTo'>,
    Omit<ConnectedEmulator, 'control' | 'close' | 'accounts' | 'fetch'> {
  /** The seeded user's accounts in their current state, oldest first; balances in minor units. */
  accounts(): readonly SeededAccount[]
}

/**
 * Starts an emulator in this process. Throws EmulatorRefusal for a wrong option, an unusable data file, or secrets that
 * are too weak for the host; and the error of `listen` (`code: 'EADDRINUSE'`) if the port is taken.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options)
  // Loads the server only here: a suite that connects to a running emulator does not need the server.
  const [server, client] = await Promise.all([startServer(options), import('../client/create_client.ts')])
  const { baseUrl, controlOf, fetchOf, deliverTo, ...rest } = server
  const { control } = server
  const controlToken = server.controlToken ?? undefined
  const urls = { base_url: baseUrl, auth_url: server.authUrl, control_url: server.controlUrl }
  const made = { ...(await control.worlds.get({ name: defaultWorld })), ...urls }
  // Without a port no connections are possible, so requests go to the server's `fetch`.
  const { fetch } = options.port === false ? server : {}
  const createClient = ((given) => client.createClient({ fetch, ...given })) as typeof client.createClient
  const events = () => eventsAt({ url: baseUrl, controlToken, fetch }, server.worldId)()
  const functions = new ReceivingFunctions()
  deliverTo(functions.at, (world) => functions.removeAll(world))
  const trafficOf: Reach['trafficOf'] = ({ name, id }) => ({
    fetch: fetchOf(name, id),
    receive: (url, take) => functions.add(name, url, take),
  })
  const { receive } = trafficOf(made)
  const home = worldOf(made, { control, createClient, events, fetch: server.fetch, receive, end: server.close })
  const reach: Reach = {
    control,
    createClient,
    controlOf: ({ name, id }) => controlOf(name, id),
    eventsOf: ({ name, id }) => eventsAt({ url: worldUrl(baseUrl, name), controlToken, fetch }, id),
    trafficOf,
  }
  const { close } = home
  return {
    ...rest,
    baseUrl,
    name: home.name,
    user: home.user,
    until: home.until,
    assert: home.assert,
    story: home.story,
    strict: home.strict,
    breaches: home.breaches,
    moments: home.moments,
    events,
    receive,
    get worldId() {
      return server.worldId
    },
    get client() {
      return home.client
    },
    world: (options: NewWorldOptions = {}) => makeWorld(options, reach),
    compare: comparedBy(control),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function startServer(options: EmulatorOptions): Promise<EmulatorServer> {
  try {
    const { startEmulator } = await import('../../emulator/index.ts')
    return await startEmulator(options)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_DLOPEN_FAILED') throw error
    throw new EmulatorRefusal(
      `SQLite can’t be loaded into this process: ${message}`,
      'Run the tests under an emulator in a separate process: npx payctl emulate -- <command>',
    )
  }
}

/**
 * Connects to the emulator that PAYCTL_CONTROL_URL names. `payctl emulate -- npm test` sets this variable: the flags of
 * `payctl emulate` then apply, not `options`. Without the variable, starts an emulator in this process. Throws the
 * errors of startEmulator and connectEmulator.
 */
export async function suiteEmulator(options: EmulatorOptions = {}): Promise<ConnectedEmulator> {
  checkOptions(options)
  const { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: controlToken } = process.env
  return url ? connectEmulator({ url, controlToken }) : startEmulator(options)
}
