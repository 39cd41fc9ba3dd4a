import type { Random } from '../random.ts'
import type { NetworkFault } from '../script/script.ts'
import type { Process } from './machine.ts'
import type { SimulatedSocket } from './simulated_socket.ts'

// Callbacks between the network and its users.

/** Observes incoming requests and applies faults to them. */
export interface Incoming {
  /** Called with each incoming request before the request is sent. */
  onRequest?(bytes: Buffer): void
  /** Called with each answer, and its request. */
  onAnswer?(request: Buffer, answer: Buffer): void
  /** Fault of the next request from a process without its own faults. */
  nextFault?(): NetworkFault | undefined
}

/** A server that accepts connections at an address. */
export interface Listener extends Incoming {
  /** The listening process; undefined while no process listens. */
  process(): Process | undefined
  accept(socket: SimulatedSocket): void
}

/** A request that a process sends. Events before its connection is open do not stop the request. */
export interface Leaving {
  readonly bytes: Buffer
  /** Mark of the moment at which the connection received the request, from `machine.mark`. */
  readonly decidedAt: number
}

/** Network use of a process, for the faults of its operation. */
export interface Traffic {
  readonly random: Random
  requests: number
  /** Fault of the nth request; `bytes` are undefined until the request is sent. */
  faultOf(request: number, bytes?: Buffer): NetworkFault | undefined
  /** Resolves when a request may arrive, or its answer; undefined: at once. */
  beforeRequest?(bytes: Buffer): Promise<void> | undefined
  beforeAnswer?(request: Buffer): Promise<void> | undefined
  /** Called for each fault that has happened. */
  onFault(fault: NetworkFault): void
  /** Called with each request before it is sent. */
  onRequest?(leaving: Leaving): void
  /** Called when a gateway has answered a request. */
  onTurnedAway?(bytes: Buffer, fault: NetworkFault): void
  /** Called when a request has reached its target. */
  onDelivered(request: number): void
  /** Observes requests to the servers of the process. */
  readonly incoming?: Incoming
}
