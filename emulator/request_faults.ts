import { type Endpoint, type ErrorStatus, isDeliveryFault } from '../src/contract/index.ts'
import { unauthenticated } from './access.ts'
import { Refusal } from './domain/refusal.ts'
import type { Fault } from './faults.ts'
import type { Reply, Request } from './http_message.ts'
import type { World } from './world.ts'

interface Place {
  readonly world: World
  /** Id of the endpoint, and its row. */
  readonly id: string
  readonly row: Endpoint
}

/** Refuses the request if a rule says so at once; the rule is kept with the request, for what comes later. */
export function meetFault({ world, id, row }: Place, request: Request): void {
  const { method, errors } = row
  const fault = world.faults.next({ endpoint: id, method, path: request.path, errors })
  if (!fault) return
  request.fault = fault
  if (fault.status !== undefined && fault.delay === 0) throw refusalOf(fault, fault.status)
}

interface Handling {
  /** The world of the request; throws a Refusal if it has ended. */
  readonly worldNow: () => World
  /** Does the work and sends the answer. */
  readonly answer: () => unknown
}

/** Lets a rule happen to a request whose body has been read. */
export async function answerWithFault(rule: Fault, reply: Reply, { worldNow, answer }: Handling): Promise<unknown> {
  const { delay, status, fault } = rule
  const { faults } = worldNow()
  if (delay > 0 && !(await faults.wait(delay))) {
    worldNow()
    // It was reset: what came before must not reach what it is now.
    return reply.raw.destroy()
  }
  if (status !== undefined) throw refusalOf(rule, status)
  if (fault === 'reset') return reply.raw.socket?.resetAndDestroy()
  if (fault !== undefined && !isDeliveryFault(fault)) reply.fault = { kind: fault, wait: (ms) => faults.wait(ms) }
  return answer()
}

function refusalOf({ retry_after }: Fault, status: number): Refusal {
  if (status === 401) return unauthenticated('The emulator was told to refuse it.')
  const wait = retry_after ?? (status === 429 ? 1 : undefined)
  return new Refusal(status as ErrorStatus, wait === undefined ? {} : { headers: { 'Retry-After': String(wait) } })
}
