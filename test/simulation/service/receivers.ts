import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { World } from '../../../emulator/worlds/world.ts'
import { machine, Process } from '../machine/machine.ts'
import { network } from '../machine/network.ts'
import type { SimulatedSocket } from '../machine/simulated_socket.ts'
import { Random } from '../random.ts'
import { type DeliveryFault, deliveryFaults, type Reception } from '../script/script.ts'
import { type Delivery, deliveryOf, deliverySent } from './deliveries.ts'
import type { Service } from './service.ts'

/** A delivery that a receiver has read. */
export interface Received extends Delivery {
  readonly receiver: number
  readonly taken: boolean
}

interface ReceiversOptions {
  readonly receptions: readonly (readonly Reception[])[]
  /** Called for each delivery when the service sends it. */
  readonly onSent: (delivery: Delivery) => void
  /** Called for each fault of a delivery on its way. */
  readonly onFault: (fault: DeliveryFault) => void
}

/**
 * Servers of users that receive webhooks, each with the fates of its first deliveries. They accept later deliveries.
 */
export class Receivers {
  readonly sent: Delivery[] = []
  readonly received: Received[] = []
  readonly #options: ReceiversOptions

  constructor(options: ReceiversOptions) {
    this.#options = options
    for (const [at, plan] of options.receptions.entries()) this.#listen(at, [...plan])
  }

  #listen(receiver: number, plan: Reception[]): void {
    const process = new Process(`receiver ${receiver}`, new Random('receiver', receiver))
    const server = createServer((request, response) => {
      const reception = isOnTheWay(plan[0]) ? 'take' : (plan.shift() ?? 'take')
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('error', () => {})
      request.on('end', () => {
        if (request.url === '/events')
          this.#note(receiver, { headers: request.headers, body: Buffer.concat(chunks).toString(), reception })
        answer(response, reception)
      })
    })
    network.listen(5000 + receiver, {
      process: () => (plan[0] === 'refuse' ? void plan.shift() : process),
      accept: (socket: SimulatedSocket) => void server.emit('connection', socket),
      onRequest: (bytes) => this.#sends(bytes),
      nextFault: () => {
        const [next] = plan
        if (!isOnTheWay(next)) return undefined
        plan.shift()
        this.#options.onFault(next)
        return next
      },
    })
  }

  #sends(bytes: Buffer): void {
    const delivery = deliverySent(bytes)
    if (!delivery?.url.endsWith('/events')) return // a tail forwards this delivery
    this.sent.push(delivery)
    this.#options.onSent(delivery)
  }

  #note(receiver: number, { headers, body, reception }: Reading): void {
    const delivery = deliveryOf({ url: urlOf(receiver), headers, body })
    if (!delivery) return
    const { event, payment, id } = delivery
    this.received.push({ ...delivery, receiver, taken: reception === 'take' || reception === 'slow' })
    machine.log(`receiver ${receiver} gets ${event} ${payment} (${id}): ${reception}`)
  }
}

/** URL that a tail forwards deliveries to. */
export const forwardUrl = (receiver: number): string => `http://127.0.0.1:${5000 + receiver}/forwarded`

const urlOf = (receiver: number): string => `http://127.0.0.1:${5000 + receiver}/events`

const onTheWay: ReadonlySet<string> = new Set(deliveryFaults)
const isOnTheWay = (reception: Reception | undefined): reception is DeliveryFault => onTheWay.has(reception ?? '')

interface Reading {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly reception: Reception
}

function answer(response: ServerResponse, reception: Reception): void {
  response.sendDate = false
  if (reception === 'silent') return
  if (reception === 'slow') {
    machine.after(4000, () => response.end())
    return
  }
  response.statusCode = reception === 'take' ? 204 : 500
  response.end()
}

/** Resumes all suspended subscriptions, such as those whose receiver failed too often. */
export async function resumeSubscriptions(service: Service, onResumed: (world: World) => void): Promise<void> {
  const { process } = service
  if (!process) return
  for (let round = 0; round < 12; round += 1) {
    const { outbox, store, clock, database } = service.world
    const suspended = database.connection
      .prepare<[], { seq: number }>('SELECT seq FROM subscriptions WHERE suspended_at IS NOT NULL')
      .all()
    if (suspended.length === 0) return
    onResumed(service.world)
    machine.as(process, () =>
      database.write(() => {
        for (const { seq } of suspended) {
          store.subscriptions.resume(seq, clock.now())
          outbox.hasten(seq, clock.now())
        }
      }),
    )
    await machine.sleep(3_600_000)
  }
}
