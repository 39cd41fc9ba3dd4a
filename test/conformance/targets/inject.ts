import { randomUUID } from 'node:crypto'
import injectRequest from 'light-my-request'
import { checkLedger } from '../../../emulator/control/counts.ts'
import type { HttpServer } from '../../../emulator/http/server.ts'
import { buildServer } from '../../../emulator/server.ts'
import { demo } from '../../../emulator/worlds/seed.ts'
import type { World as EmulatedWorld } from '../../../emulator/worlds/world.ts'
import type { ReadOptions } from '../../../emulator/worlds/world_options.ts'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import type { Inside, Target, World } from '../target.ts'
import { controlOver } from './control_over.ts'

/** The emulator's server in this process, without a port. */
export const inject: Target = {
  name: 'the emulator in process',
  reach: 'inside',
  listens: false,
  start: (options = {}) => openWorld({ settle: 'manual', clock: 'running', ...options }),
}

export type InsideWorld = World & { readonly world: EmulatedWorld; readonly inside: Inside }

/** `reach` makes the function that sends requests to the server. */
export async function openWorld(
  options: ReadOptions = {},
  reach: (server: HttpServer) => World['exchange'] = injected,
): Promise<InsideWorld> {
  const faults: unknown[] = []
  const worlds = new Worlds({ onFault: (error) => faults.push(error), ...options })
  const server = buildServer({ worlds })
  const exchange = reach(server)
  return {
    get world() {
      return worlds.current
    },
    token: worlds.options.token,
    emulated: true,
    address: null,
    oauth: { exchange, client: { id: demo.clientId, secret: demo.clientSecret } },
    exchange,
    control: {
      ...controlOver(exchange),
      async advanceClock(ms) {
        await worlds.current.advanceClock(ms)
      },
      ledger: async () => checkLedger(worlds.current),
    },
    inside: insideOf(worlds.current, faults),
    async close() {
      await server.close()
      await worlds.close()
    },
  }
}

const injected =
  ({ listener }: HttpServer): World['exchange'] =>
  async ({ method, url, headers, payload }) => {
    const body = payload === undefined ? {} : { payload }
    const answer = await injectRequest(listener, { method, url, headers: { ...headers }, ...body })
    return { status: answer.statusCode, headers: answer.headers, text: answer.body }
  }

function insideOf(world: EmulatedWorld, faults: readonly unknown[]): Inside {
  const { store, clock, database } = world
  const { connection } = database
  return {
    faults,
    mintBare() {
      const secret = randomUUID()
      store.tokens.put({ secret, user: demo.user.seq, scopes: [], expires_at: null, created_at: clock.now() })
      return secret
    },
    breakPayments() {
      connection.exec('ALTER TABLE payments RENAME TO payments_hidden')
      return () => connection.exec('ALTER TABLE payments_hidden RENAME TO payments')
    },
  }
}
