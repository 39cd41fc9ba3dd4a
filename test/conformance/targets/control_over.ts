import {
  allScopes,
  type ControlId,
  type ControlInputOf,
  type ControlOutputOf,
  controlEndpoints,
} from '../../../src/contract/index.ts'
import type { Control, World } from '../target.ts'

/** Calls control endpoints. `token` is the emulator's control token, if it has one. */
export const controlCalls =
  (exchange: World['exchange'], token?: string) =>
  async <Id extends ControlId>(id: Id, input: Partial<ControlInputOf<Id>> = {}): Promise<ControlOutputOf<Id>> => {
    const { method, path, success } = controlEndpoints[id]
    const { body, params = {} } = input as { body?: unknown; params?: Readonly<Record<string, string>> }
    const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    const headers = { Host: 'localhost', 'Content-Type': 'application/json', ...authorization }
    const reply = await exchange({ method, url, headers, ...payload })
    if (reply.status !== success.status) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return JSON.parse(reply.text).data
  }

/** Controls an emulator through its control endpoints. */
export function controlOver(exchange: World['exchange'], token?: string): Control {
  const call = controlCalls(exchange, token)
  const mint: Control['mint'] = async (scopes, { expiresIn = null, user = null } = {}) => {
    const body = { scopes: [...scopes], expires_in: expiresIn, user }
    return (await call('control.tokens.mint', { body })).token
  }
  return {
    mint,
    async advanceClock(ms) {
      await call('control.clock.advance', { body: { ms } })
    },
    now: async () => Date.parse((await call('control.clock.get')).now),
    async setAccountStatus(id, status) {
      await call('control.accounts.set', { params: { id }, body: { status } })
    },
    async fault(endpoint, status) {
      await call('control.faults.add', { body: { endpoint, status } })
    },
    ledger: () => call('control.ledger'),
    async setRail(channel, online) {
      await call('control.rails.set', { body: { [channel]: online ? 'online' : 'offline' } })
    },
    async setRates(rates) {
      await call('control.fx.set', { body: rates })
    },
    async stranger() {
      const { id: user } = await call('control.users.create', { body: { name: 'Otra Persona' } })
      return { user, token: await mint(allScopes, { user }) }
    },
  }
}
