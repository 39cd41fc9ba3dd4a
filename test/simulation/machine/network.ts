import { Random } from '../random.ts'
import { type NetworkFault, networkFaults } from '../script/script.ts'
import { gatewayAnswer } from './gateway.ts'
import { machine, type Process } from './machine.ts'
import { SimulatedSocket } from './simulated_socket.ts'
import type { Incoming, Listener, Traffic } from './traffic.ts'

// Network between processes of the simulated machine: bytes on its connections take time, get lost, or arrive twice.

const traffic = new WeakMap<Process, Traffic>()
const listeners = new Map<string, Listener>()

let lastPort = 6000

/** Random numbers of connections; `start` seeds them again. */
let random = new Random('network')

export const network = {
  start(seed: string): void {
    listeners.clear()
    lastPort = 6000
    random = new Random(seed, 'network')
  },
  listen(port: number, listener: Listener): void {
    listeners.set(String(port), listener)
  },
  /** Closes a port. */
  forget(port: number): void {
    listeners.delete(String(port))
  },
  /** Returns a port on which no process has listened. */
  freePort(): number {
    lastPort += 1
    return lastPort
  },
  /** Handlers of a process's servers. */
  incomingOf: (process: Process): Incoming | undefined => traffic.get(process)?.incoming,
  trafficOf(process: Process, of: Traffic): void {
    traffic.set(process, of)
  },
}

interface Address {
  readonly host?: string | undefined
  readonly port?: number | string | undefined
}

/** Replaces `net.connect`. */
export function connect({ host = '127.0.0.1', port = 80 }: Address): SimulatedSocket {
  return new Connection(String(host), String(port)).client
}

/** Half a millisecond: one turn handles all arrivals within this time. */
const grain = 0.5

class Connection {
  readonly client: SimulatedSocket
  readonly server: SimulatedSocket
  readonly #traffic: Traffic | undefined
  readonly #random: Random
  readonly #clientProcess = machine.process
  readonly #listener: Listener | undefined
  /** Arrival time of each side's last bytes: later bytes do not overtake them. */
  readonly #arrival = { client: 0, server: 0 }
  /** Resolves when each side may receive its next bytes; undefined: at once. */
  readonly #held: Partial<Record<'client' | 'server', Promise<void>>> = {}
  /** Fault of the next answer. */
  #answerFault: NetworkFault | undefined
  /** The last request sent. */
  #request: Buffer = Buffer.alloc(0)
  /** Mark of the moment at which the connection began to open, for its first request. */
  #opening: number | undefined = machine.mark()
  /** True once the connection drops everything. */
  #silent = false

  constructor(host: string, port: string) {
    const process = machine.process
    this.#traffic = process && traffic.get(process)
    this.#random = this.#traffic?.random ?? random
    this.#listener = listeners.get(port)
    this.client = new SimulatedSocket({ connection: this, side: 'client', process, remote: { host, port } })
    const server = this.#listener?.process()
    this.server = new SimulatedSocket({
      connection: this,
      side: 'server',
      process: server,
      remote: { host, port: '50000' },
      peer: process,
    })
    process?.atDeath(() => this.client.reset())
    this.#open(server)
  }

  #open(server: Process | undefined): void {
    const of = this.#traffic
    const isRefused = of?.faultOf(of.requests + 1) === 'connection refused'
    if (of && isRefused) {
      of.requests += 1 // counts as a request; the next attempt is another request
      of.onFault('connection refused')
    }
    if (isRefused || !server?.alive) {
      this.#refuse()
      return
    }
    server.atDeath(() => this.server.reset())
    const latency = this.#latency()
    machine.as(server, () =>
      machine.after(latency, () => {
        if (!this.server.destroyed) this.#listener?.accept(this.server)
      }),
    )
    machine.after(2 * latency, () => this.client.connected())
  }

  #refuse(): void {
    machine.after(this.#latency(), () => this.client.refuse())
  }

  #latency(): number {
    const usual = this.#random.chance(0.05) ? this.#random.integer(20, 400) : this.#random.integer(1, 12)
    return usual * grain
  }

  /** Sends bytes. */
  transmit(from: SimulatedSocket, bytes: Buffer): void {
    if (from.side === 'client') this.#sendRequest(bytes)
    else this.#sendAnswer(bytes)
  }

  #sendRequest(bytes: Buffer): void {
    const of = this.#traffic
    this.#clientProcess?.step('request')
    if (of) of.requests += 1
    const request = of?.requests ?? 0
    const planned = of ? of.faultOf(request, bytes) : this.#listener?.nextFault?.()
    const fault = planned && canMeet(bytes, planned) ? planned : undefined
    machine.log(`${this.#clientProcess?.name ?? 'somebody'} sends ${firstLine(bytes)}${fault ? `: ${fault}` : ''}`)
    of?.onRequest?.({ bytes, decidedAt: this.#opening ?? machine.mark() })
    this.#opening = undefined
    this.#listener?.onRequest?.(bytes)
    this.#request = bytes
    this.#answerFault = fault && answerFaults.has(fault) ? fault : undefined
    this.#hold(['server', 'client'], of?.beforeRequest?.(bytes))
    if (fault && !this.#answerFault) of?.onFault(fault)
    if (fault && this.#isStopped(bytes, fault)) return
    if (fault === 'request doubled') this.#double(bytes)
    if (fault === 'request held') this.#delay('server', this.#random.integer(120_000, 480_000))
    if (fault === 'request late') this.#delay('server', this.#random.integer(500, 20_000))
    this.#deliver('server', () => {
      this.server.receive(bytes)
      of?.onDelivered(request)
    })
  }

  /** True if a fault keeps a request from its service; applies the fault. */
  #isStopped(bytes: Buffer, fault: NetworkFault): boolean {
    switch (fault) {
      case 'request lost':
        this.#silent = true
        return true
      case 'request reset':
        this.#deliver('client', () => this.#resetBoth())
        return true
      case 'request halved':
        this.#deliver('server', () => this.server.receive(bytes.subarray(0, bytes.length >> 1)))
        this.#deliver('server', () => this.#resetBoth())
        return true
      case 'answered 401':
      case 'answered 422':
      case 'answered 429':
      case 'answered 503':
        this.#deliver('client', () => {
          if (!this.client.readableEnded) this.#traffic?.onTurnedAway?.(bytes, fault)
          this.client.receive(gatewayAnswer(fault))
        })
        return true
      default:
        return false
    }
  }

  #sendAnswer(bytes: Buffer): void {
    const [, text = ''] = bytes.toString('utf8').split('\r\n\r\n')
    const body = text.includes('\0') ? `${bytes.length} bytes` : text
    machine.log(`${this.#clientProcess?.name ?? 'somebody'} is answered ${firstLine(bytes)} ${body}`)
    this.#listener?.onAnswer?.(this.#request, bytes)
    const fault = this.#answerFault
    this.#answerFault = undefined
    this.#hold(['client'], this.#traffic?.beforeAnswer?.(this.#request))
    if (fault) this.#traffic?.onFault(fault)
    switch (fault) {
      case 'answer lost':
        this.#silent = true
        break
      case 'answer reset':
        this.#deliver('client', () => this.#resetBoth())
        break
      case 'answer halved':
        this.#deliver('client', () => this.client.receive(bytes.subarray(0, this.#random.integer(1, bytes.length - 1))))
        this.#deliver('client', () => this.client.receive(null))
        break
      case 'answer replaced by 400':
      case 'answer replaced by 404':
      case 'answer replaced by 409':
      case 'answer replaced by 502':
        this.#deliver('client', () => this.client.receive(gatewayAnswer(fault)))
        break
      default:
        if (fault === 'answer late') this.#delay('client', this.#random.integer(500, 40_000))
        this.#deliver('client', () => {
          this.client.receive(bytes)
          const of = this.#traffic
          // Closes this connection, because only a new connection can be refused.
          if (of?.faultOf(of.requests + 1) === 'connection refused') this.client.receive(null)
        })
        if (fault === 'answer followed by 422') {
          this.#delay('client', this.#random.integer(1, 200))
          this.#deliver('client', () => this.client.receive(gatewayAnswer(fault)))
        }
    }
  }

  /** Holds back all bytes to these sides until `end`. */
  #hold(sides: readonly ('client' | 'server')[], end: Promise<void> | undefined): void {
    if (!end) return
    for (const to of sides) {
      this.#held[to] = end.then(() => {
        delete this.#held[to]
      })
    }
  }

  #delay(to: 'client' | 'server', ms: number): void {
    this.#arrival[to] = Math.max(this.#arrival[to], machine.elapsed) + ms
  }

  /** Sends the request again, a little later and on another connection, like a proxy that retries. Drops the answer. */
  #double(bytes: Buffer): void {
    const server = this.#listener?.process()
    if (!server) return
    const again = new SimulatedSocket({
      connection: { transmit() {}, end() {}, closed() {} },
      side: 'server',
      process: server,
      remote: { host: '127.0.0.1', port: '50001' },
      peer: this.#clientProcess,
    })
    server.atDeath(() => again.reset())
    machine.as(server, () =>
      machine.after(this.#random.integer(1, 4000) * grain, () => {
        this.#listener?.accept(again)
        again.receive(bytes)
      }),
    )
  }

  /** Called when a side sends no more bytes. */
  end(from: SimulatedSocket): void {
    const to = from.side === 'client' ? this.server : this.client
    this.#deliver(to.side, () => to.receive(null))
  }

  /** Called when a side has closed the connection. */
  closed(from: SimulatedSocket): void {
    const to = from.side === 'client' ? this.server : this.client
    this.#deliver(to.side, () => (from.alive ? to.receive(null) : to.reset()))
  }

  #resetBoth(): void {
    this.client.reset()
    this.server.reset()
  }

  #deliver(to: 'client' | 'server', arrive: () => void): void {
    if (this.#silent) return
    const held = this.#held[to]
    if (held) return void held.then(() => this.#deliver(to, arrive))
    const socket = to === 'client' ? this.client : this.server
    const at = Math.max(this.#arrival[to], machine.elapsed + this.#latency())
    this.#arrival[to] = at
    machine.as(socket.process, () =>
      machine.after(at - machine.elapsed, () => {
        if (!socket.destroyed) arrive()
      }),
    )
  }
}

/** Not every fault applies: an open connection can't be refused, and gateways always route reads. */
const canMeet = (request: Buffer, fault: NetworkFault): boolean =>
  fault !== 'connection refused' &&
  (!['answer replaced by 400', 'answer replaced by 404'].includes(fault) || firstLine(request).startsWith('POST'))

const answerFaults: ReadonlySet<NetworkFault> = new Set(networkFaults.filter((fault) => fault.startsWith('answer ')))

const firstLine = (bytes: Buffer): string => bytes.toString('latin1', 0, 200).split('\r\n', 1)[0] ?? ''
