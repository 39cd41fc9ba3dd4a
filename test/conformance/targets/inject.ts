import { randomUUID } from 'node:crypto'
import { checkLedger } from '../../../emulator/control/index.ts'
import type { EmulatorOptions } from '../../../emulator/options.ts'
import { Sandbox } from '../../../emulator/sandbox.ts'
import { demo } from '../../../emulator/seed.ts'
import { buildServer } from '../../../emulator/server.ts'
import type { Inside, Target, World } from '../target.ts'

/** The emulator's server in this process, without a port. */
export const inject: Target = {
  name: 'the emulator in process',
  reach: 'inside',
  listens: false,
  start: (options = {}) => openWorld({ settle: 'manual', ...options }),
}

export type InsideWorld = World & { readonly sandbox: Sandbox; readonly inside: Inside }

export async function openWorld(options: EmulatorOptions = {}): Promise<InsideWorld> {
  const faults: unknown[] = []
  const sandbox = new Sandbox({ onFault: (error) => faults.push(error), ...options })
  const app = buildServer({ sandbox, version: '0.0.0' })
  return {
    sandbox,
    token: sandbox.token,
    address: null,
    async exchange({ method, url, headers, payload }) {
      const body = payload === undefined ? {} : { payload }
      const answer = await app.inject({ method: method as 'GET', url, headers: { ...headers }, ...body })
      return { status: answer.statusCode, headers: answer.headers, text: answer.body }
    },
    control: {
      async advanceClock(ms) {
        sandbox.advanceClock(ms)
        await sandbox.database.settled
      },
      ledger: async () => checkLedger(sandbox),
    },
    inside: insideOf(sandbox, faults),
    async close() {
      await app.close()
      sandbox.close()
    },
  }
}

function insideOf(sandbox: Sandbox, faults: readonly unknown[]): Inside {
  const { store, clock } = sandbox
  const { connection } = sandbox.database
  return {
    faults,
    mint(scopes, { expiresIn, user = demo.user.seq } = {}) {
      const secret = randomUUID()
      const expires_at = expiresIn === undefined ? null : clock.now() + expiresIn
      store.tokens.put({ secret, user, scopes, expires_at, created_at: clock.now() })
      return secret
    },
    stranger() {
      const user = 2
      const created_at = clock.now()
      const account = randomUUID()
      store.users.add({
        seq: user,
        id: randomUUID(),
        name: 'Otra Persona',
        email: 'otra@example.com',
        email_verified_at: null,
        phone: '60001234',
        document_number: '0100010001',
        document_type: 0,
        created_at,
        updated_at: created_at,
      })
      store.accounts.add({ id: account, user, currency: 'CRC', created_at })
      return { user, account }
    },
    setRail(channel, online) {
      sandbox.rails[channel] = online
    },
    setAccountStatus(id, status) {
      connection.prepare('UPDATE accounts SET status = ? WHERE id = ?').run(status, id)
    },
    breakPayments() {
      connection.exec('ALTER TABLE payments RENAME TO payments_hidden')
      return () => connection.exec('ALTER TABLE payments_hidden RENAME TO payments')
    },
  }
}
