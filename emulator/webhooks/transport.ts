import type { Agent, buildConnector, Dispatcher } from 'undici'
import type { OwnAddress } from '../own_address.ts'

/** Deliveries begun in one turn of the event loop: however many wait, the API gets its turns in between. */
const startsPerTurn = 8

/** Loaded with the first delivery, if not before: most worlds send none. */
const undici = () => import('undici').catch(unloadable)

/** Loads what deliveries need early: an upgrade of payctl may replace the files of a running emulator. */
export const prepareToSend = async (): Promise<void> => {
  await undici().catch(() => {}) // the first delivery reports it
}

function unloadable(cause: unknown): never {
  throw new Error('The emulator could not load a part of itself. Was payctl upgraded? Start it again.', { cause })
}

/** A request of a delivery; `origin` is where it goes. */
type Post = Omit<Dispatcher.RequestOptions, 'method' | 'headersTimeout' | 'bodyTimeout'>

/**
 * What the deliveries of all worlds of an emulator share: turns of the event loop, and connections. The only part of the
 * emulator that opens connections.
 */
export class Transport {
  readonly ownAddress: OwnAddress
  /** Senders that wait for their turn. */
  readonly #waiting: (() => void)[] = []
  #agent: Agent | undefined
  #closed = false

  constructor(ownAddress: OwnAddress) {
    this.ownAddress = ownAddress
  }

  /** Resolves in a later turn of the event loop: in each so many senders go on, of whatever world. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#giveTurns())
    })
  }

  /** Follows no redirects, and waits until the signal aborts. */
  async post(request: Post): Promise<Dispatcher.ResponseData> {
    const agent = this.#agent ?? (await this.#open())
    return agent.request({ ...request, method: 'POST', headersTimeout: 0, bodyTimeout: 0 })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#agent?.destroy()
  }

  #giveTurns(): void {
    for (const resolve of this.#waiting.splice(0, startsPerTurn)) resolve()
    if (this.#waiting.length > 0) setImmediate(() => this.#giveTurns())
  }

  async #open(): Promise<Agent> {
    const { Agent, buildConnector } = await undici()
    if (this.#closed) throw new Error('The emulator is stopping')
    // Another delivery may have opened it meanwhile. It forgets a receiver whose last connection has closed.
    this.#agent ??= new Agent({ allowH2: false, connect: this.#exceptOwnAddress(buildConnector({ allowH2: false })) })
    return this.#agent
  }

  /**
   * Refuses connections to the emulator itself. Only the connection shows where a URL leads: names can resolve to any
   * address, and addresses can be written in many ways.
   */
  #exceptOwnAddress(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (error) return callback(error, null)
        const { remoteAddress = '', remotePort = 0 } = socket
        if (!this.ownAddress.isReachedAt(remoteAddress, remotePort)) return callback(null, socket)
        socket.destroy()
        callback(new Error('The URL leads back to the emulator, which takes no deliveries'), null)
      })
  }
}
