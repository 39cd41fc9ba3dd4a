import type { Agent, buildConnector, Dispatcher } from 'undici'
import { setImmediate } from '../../src/real_time.ts'
import type { OwnAddress } from '../http/addresses.ts'
import { missingPart } from '../version.ts'
import type { FunctionAt } from './hand_over.ts'

/**
 * Maximum number of deliveries begun in one turn of the event loop, so that the API also gets turns while many
 * deliveries wait.
 */
const startsPerTurn = 8

/** Loaded no later than the first delivery, not at the start: most worlds send no webhooks. */
const undici = () =>
  import('undici').catch((cause: unknown) => {
    throw new Error(missingPart, { cause })
  })

/** Loads the modules for deliveries early, because an upgrade of payctl may replace the files of a running emulator. */
export const prepareToSend = async (): Promise<void> => {
  await undici().catch(() => {}) // the first delivery reports the error
}

/**
 * Connections and turns of the event loop, which the deliveries of all worlds of an emulator share. No other part of
 * the emulator opens connections.
 */
export class Transport {
  readonly ownAddress: OwnAddress
  /** Finds the function of this process that takes the deliveries to a URL. */
  functionAt: FunctionAt = () => undefined
  /** Senders that wait for a turn. */
  readonly #waiting: (() => void)[] = []
  #agent: Agent | undefined
  #closed = false

  constructor(ownAddress: OwnAddress) {
    this.ownAddress = ownAddress
  }

  /** Resolves in a later turn of the event loop. Each turn resumes `startsPerTurn` senders, of any world. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#giveTurns())
    })
  }

  /** Posts to the receiver at `origin` without following redirects. Only the signal limits the time. */
  async post(request: Omit<Dispatcher.RequestOptions, 'method'>): Promise<Dispatcher.ResponseData> {
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
    // Another delivery may have opened the agent in the meantime. The agent drops a receiver when the last connection
    // to the receiver closes.
    this.#agent ??= new Agent({ allowH2: false, connect: this.#exceptOwnAddress(buildConnector({ allowH2: false })) })
    return this.#agent
  }

  /**
   * Makes a connector that refuses connections to the emulator itself. Only an open connection shows where a URL leads:
   * names can resolve to any address, and addresses can be written in many ways.
   */
  #exceptOwnAddress(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (error) return callback(error, null)
        const { remoteAddress = '', remotePort = 0 } = socket
        if (!this.ownAddress.isReachedAt(remoteAddress, remotePort)) return callback(null, socket)
        socket.destroy()
        callback(new Error('The URL leads back to the emulator, which accepts no deliveries'), null)
      })
  }
}
