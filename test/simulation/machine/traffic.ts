import type { Random } from '../random.ts'
import type { NetworkFault } from '../script/script.ts'
import type { Process } from './machine.ts'
import type { SimulatedSocket } from './simulated_socket.ts'

// What the network asks of those who use it, and tells them.

/** What hears of the requests that come, and has something happen to them. */
export interface Incoming {
  /** Hears each request to it before that leaves, and each answer of it. */
  onRequest?(bytes: Buffer): void
  onAnswer?(request: Buffer, answer: Buffer): void
  /** What is to happen on its way to the next request of somebody who has no faults of its own. */
  nextFault?(): NetworkFault | undefined
}

/** Who takes connections at an address. */
export interface Listener extends Incoming {
  /** Undefined while nobody listens. */
  process(): Process | undefined
  accept(socket: SimulatedSocket): void
}

/** A request that leaves. What comes until its connection is open does not keep it from that. */
export interface Leaving {
  readonly bytes: Buffer
  /** When it was on its way to its connection, in virtual milliseconds. */
  readonly decidedAt: number
}

/** What a process does with the network, for the faults of its operation. */
export interface Traffic {
  readonly random: Random
  requests: number
  /** Of the so manieth request. */
  faultOf(request: number): NetworkFault | undefined
  /** Hears of each fault that has happened. */
  onFault(fault: NetworkFault): void
  /** Hears each request before it leaves. */
  onRequest?(leaving: Leaving): void
  /** Hears that a gateway has answered a request. */
  onTurnedAway?(bytes: Buffer, fault: NetworkFault): void
  /** Hears that a request has reached whom it was for. */
  onDelivered(request: number): void
  /** Of what comes to its own servers. */
  readonly incoming?: Incoming
}
