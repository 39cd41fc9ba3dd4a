import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { World } from '../../emulator/world.ts'
import { deliveryHeaders } from '../../src/contract/index.ts'
import { machine, Process } from './machine.ts'
import { network } from './network.ts'
import { Random } from './random.ts'
import type { Reception } from './script.ts'
import type { Service } from './service.ts'
import type { SimulatedSocket } from './simulated_socket.ts'

/** A delivery as a receiver has read it. */
export interface Received {
  readonly receiver: number
  readonly headers: IncomingMessage['headers']
  readonly id: string
  readonly attempt: number
  readonly event: string
  /** Id of the payment. */
  readonly payment: string
  readonly body: string
  readonly taken: boolean
}

/** Copies of the world, of which nobody keeps books, deliver with longer ids. */
const ofDefaultWorld = /^whd_\d{12}$/

/** Servers of users that take webhooks, each with what it does to the first deliveries. Later ones it takes. */
export class Receivers {
  readonly received: Received[] = []
  readonly #onReceived: (received: Received) => void

  constructor(receptions: readonly (readonly Reception[])[], onReceived: (received: Received) => void = () => {}) {
    this.#onReceived = onReceived
    for (const [at, plan] of receptions.entries()) this.#listen(at, [...plan])
  }

  #listen(receiver: number, plan: Reception[]): void {
    const process = new Process(`receiver ${receiver}`, new Random('receiver', receiver))
    const server = createServer((request, response) => {
      const reception = plan.shift() ?? 'take'
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('error', () => {})
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        this.#note(receiver, { request, body, reception })
        answer(response, reception)
      })
    })
    network.listen(5000 + receiver, {
      process: () => (plan[0] === 'refuse' ? void plan.shift() : process),
      accept: (socket: SimulatedSocket) => void server.emit('connection', socket),
    })
  }

  #note(receiver: number, { request, body, reception }: Reading): void {
    const { event, data } = JSON.parse(body) as { event: string; data: { id: string } }
    const id = String(request.headers[deliveryHeaders.id.toLowerCase()])
    if (!ofDefaultWorld.test(id)) return
    const attempt = Number(request.headers[deliveryHeaders.attempt.toLowerCase()])
    const taken = reception === 'take' || reception === 'slow'
    const { headers } = request
    const received = { receiver, headers, id, attempt, event, payment: data.id, body, taken }
    this.received.push(received)
    this.#onReceived(received)
    machine.log(`receiver ${receiver} gets ${event} ${data.id} (${id}): ${reception}`)
  }
}

interface Reading {
  readonly request: IncomingMessage
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

/** Those that were suspended because their receiver failed too often. */
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
