import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { creditHandlers } from '../../../emulator/control/credits.ts'
import type { ControlContext } from '../../../emulator/http/context.ts'
import { buildServer } from '../../../emulator/server.ts'
import { demo } from '../../../emulator/worlds/seed.ts'
import type { World } from '../../../emulator/worlds/world.ts'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import type { ControlInputOf } from '../../../src/contract/index.ts'
import { Killed, machine, Process } from '../machine/machine.ts'
import { network } from '../machine/network.ts'
import type { SimulatedSocket } from '../machine/simulated_socket.ts'
import { makeRoom } from '../machine/statements.ts'
import { putDatabase } from '../machine/templates.ts'
import { Random } from '../random.ts'
import { payingToken, tokens } from '../script/places.ts'

/** A request that reached the service. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Time of handling, in epoch milliseconds of the world's clock. */
  readonly at: number
  /** Id of the world that handles the request. */
  readonly world: string
  /** The caller, if the simulation knows it. */
  readonly caller: Process | undefined
}

export interface ServiceAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Called with the requests of a service, in the order of handling, and with changes of the service and its world. */
export interface Listener {
  /** Called with the world before the request is handled. */
  onRequest(request: Exchange, world: World): void
  /** Called before the answer is sent. */
  onAnswer(request: Exchange, answer: ServiceAnswer): void
  /** Called instead of `onAnswer` if the connection is gone. */
  onUnanswered(request: Exchange): void
  /** Called for an incomplete request, instead of the three functions above. */
  onCut(world: World): void
  /** Called when the service has been killed. */
  onKilled(): void
  /** Called when the service runs again. */
  onRestarted(world: World): void
  /** Called before a reset of the world; the reset may fail. */
  onWorldLeaves(): void
  /** Called after a reset of the world. */
  onWorldIsNew(world: World): void
  /** Called when money from another bank has reached an account. */
  onCredit(account: string, amount: number, world: World): void
  /** Called when all access tokens of logins were revoked. */
  onTokensRevoked(): void
  /** Called when a phone at another bank has a new holder. */
  onHolderRenamed(phone: string, name: string): void
}

/**
 * `settle`: duration of a payment, in milliseconds. `rateLimit`: requests per minute. `tokenTtl`: life of an access
 * token, in seconds. `keyTtl`: life of a key, in milliseconds; longer than callers rely on a key, even if the clock is
 * moved.
 */
export const settings = { settle: 4000, rateLimit: 300, tokenTtl: 900, keyTtl: 10 * 86_400_000 }

interface ServiceOptions {
  readonly seed: string
  readonly folder: string
  readonly listener: Listener
}

/** Duration of a commit, in milliseconds: often 0, sometimes as long as several requests. */
function commitMs(disk: Random): number {
  if (disk.chance(0.5)) return 0
  return disk.chance(0.9) ? disk.integer(1, 30) * 0.5 : disk.integer(20, 400)
}

/** The emulator, which can be killed and restarted, with its data file. */
export class Service {
  readonly #options: ServiceOptions
  #incarnation = 0
  process: Process | undefined
  #worlds: Worlds | undefined
  #server: ReturnType<typeof buildServer> | undefined
  /** Id of the world that the listener knows. */
  #known: string | undefined
  /** Internal errors that the service reported. */
  readonly faults: unknown[] = []
  readonly port: number

  constructor(options: ServiceOptions, port = 4010) {
    this.#options = options
    this.port = port
    network.listen(port, {
      process: () => this.process,
      accept: (socket: SimulatedSocket) => void this.#server?.server.emit('connection', socket),
    })
  }

  get world(): World {
    if (!this.#worlds) throw new Error('The service is not running')
    return this.#worlds.current
  }

  start(): void {
    this.#incarnation += 1
    const { seed, folder, listener } = this.#options
    const process = new Process('service', new Random(seed, 'service', this.#incarnation))
    const disk = new Random(seed, 'disk of the service', this.#incarnation)
    process.commitMs = () => commitMs(disk)
    if (this.#incarnation === 1 && new Random(seed, 'data file').chance(0.8)) {
      putDatabase(join(folder, 'service.db'), 'service', (template) => {
        const worlds = this.#worldsIn(template)
        const { connection } = worlds.current.database
        void worlds.close()
        connection.close()
      })
    }
    machine.as(process, () => {
      this.#worlds = this.#worldsIn(folder)
      this.#server = buildServer({ worlds: this.#worlds })
      this.#server.server.on('connection', () => {})
      this.#observe(listener)
    })
    this.process = process
    this.#noticeWorld()
    machine.log(`service starts, ${this.#incarnation}`)
    if (this.#incarnation > 1) listener.onRestarted(this.world)
  }

  #worldsIn(folder: string): Worlds {
    return new Worlds(
      {
        data: join(folder, 'service.db'),
        ...(this.#incarnation === 1 && {
          seed: {
            extends: 'demo',
            tokens: [
              { token: tokens.laura, user: demo.neighbour.user.id },
              { ...payingToken, user: demo.user.id },
            ],
          },
        }),
        ...settings,
        onFault: (error) => this.faults.push(error),
      },
      () => [{ address: '127.0.0.1', port: this.port }],
    )
  }

  /** Kills the service, without a restart. */
  kill(): void {
    const { process } = this
    this.process = undefined
    process?.kill()
    this.#options.listener.onKilled()
  }

  /** Resets the service's world to the seed. */
  reset(): void {
    this.#betweenCommits(() => {
      this.#options.listener.onWorldLeaves()
      const failed = (error: unknown) => {
        if (!(error instanceof Killed) && (error as { code?: string }).code !== 'SQLITE_FULL') throw error
      }
      void this.#worlds?.reset().then(() => this.#noticeWorld(), failed)
    })
  }

  /**
   * Reports a new world. Call this function before any other report about a world: a reset takes effect before its
   * caller receives the answer.
   */
  #noticeWorld(): void {
    const { world } = this
    const isAnother = this.#known !== undefined && this.#known !== world.id
    this.#known = world.id
    if (!isAnother) return
    machine.log('the world of the service is another')
    this.#options.listener.onWorldIsNew(world)
  }

  /** Credits money from another bank. */
  credit(amount: number): void {
    const { world } = this
    const to = demo.accounts[0].id
    const body = { to, amount }
    const create = creditHandlers['control.credits.create']
    const work = () => create({ body } as ControlInputOf<'control.credits.create'>, { world } as ControlContext)
    this.#change(work, () => this.#options.listener.onCredit(to, amount, world))
  }

  /** Revokes all access tokens of logins; their refresh tokens stay valid. */
  revokeTokens(): void {
    const sql = 'UPDATE tokens SET revoked_at = ? WHERE authorization IS NOT NULL AND revoked_at IS NULL'
    const work = ({ database, clock }: World) => database.connection.prepare(sql).run(clock.now())
    this.#changeAlone(work, () => this.#options.listener.onTokensRevoked())
  }

  /** Gives a phone at another bank a new holder. */
  renameHolder(phone: string, name: string): void {
    const sql = 'UPDATE registry SET name = ? WHERE address = ?'
    const work = ({ database }: World) => database.connection.prepare(sql).run(name, phone)
    this.#changeAlone(work, () => this.#options.listener.onHolderRenamed(phone, name))
  }

  /**
   * Changes the world in a separate commit between those of requests, and reports the change at once. Otherwise the
   * service could answer requests before and after the change at the same time, and nothing would show their order.
   */
  #changeAlone(work: (world: World) => void, heard: () => void): void {
    this.#betweenCommits(() => {
      work(this.world)
      heard()
    })
  }

  #betweenCommits(work: () => void): void {
    const { process } = this
    if (!process) return
    const change = (): void => {
      if (!process.alive) return
      const { settled } = this.world.database
      if (settled) settled.then(soon, soon)
      else work()
    }
    // Runs after the answers to all arrivals of this moment.
    const soon = () => machine.as(undefined, () => machine.after(0.001, () => machine.as(process, change)))
    soon()
  }

  /** Changes the world, and calls `heard` when the change is on disk. */
  #change(work: () => void, heard: () => void): void {
    const { process, world } = this
    if (!process) return
    machine.as(process, () => {
      work()
      if (world.database.settled) world.database.settled.then(heard, () => {})
      else heard()
    })
  }

  get running(): boolean {
    return this.process?.alive === true
  }

  /** Kills the service, and restarts it after `down` milliseconds. */
  restart(down: number): void {
    if (!this.running) return
    this.kill()
    machine.as(undefined, () => machine.after(down, () => this.start()))
  }

  /** Stops the service as a user would. */
  async stop(): Promise<void> {
    const { process } = this
    if (!process) return
    makeRoom(process)
    await machine.as(process, () => this.#worlds?.close())
  }

  #observe(listener: Listener): void {
    this.#server?.server.prependListener('request', (raw: IncomingMessage, response: ServerResponse) => {
      const { method = '', url = '' } = raw
      if (!/^\/(api|oauth)\//.test(url)) return // requests to control endpoints and to other worlds
      const { peer: caller } = raw.socket as unknown as SimulatedSocket
      const { process } = machine
      const chunks: Buffer[] = []
      let heard: Exchange | undefined
      let whole = false
      const hear = () => {
        if (heard) return
        whole = true
        this.#noticeWorld()
        const { world } = this
        const body = Buffer.concat(chunks).toString()
        const headers = raw.headers as Exchange['headers']
        heard = { method, url, headers, body, at: world.clock.now(), world: world.id, caller }
        listener.onRequest(heard, world)
      }
      raw.on('data', (chunk: Buffer) => chunks.push(chunk))
      raw.on('end', hear)
      const { end } = response
      response.end = ((...given: [unknown]) => {
        if (!process?.alive) return response // the service died while it handled the request
        hear() // refused before its body was read
        this.#noticeWorld()
        const [text = ''] = given
        const headers = { ...response.getHeaders() } as ServiceAnswer['headers']
        const body = typeof text === 'string' ? text : ''
        if (heard) listener.onAnswer(heard, { status: response.statusCode, headers, body })
        heard = undefined
        response.end = end
        return end.apply(response, given as never)
      }) as typeof end
      response.on('close', () => {
        if (!process?.alive) return
        if (heard) listener.onUnanswered(heard)
        if (!whole) listener.onCut(this.world)
      })
    })
  }
}
