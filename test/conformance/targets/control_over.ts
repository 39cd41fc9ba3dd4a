import {
  allScopes,
  type ControlId,
  type ControlInputOf,
  type ControlOutputOf,
  controlEndpoints,
} from '../../../src/contract/index.ts'
import type { Control, World } from '../target.ts'

/** Steers an emulator by its own endpoints. */
export function controlOver(exchange: World['exchange']): Control {
  const call = async <Id extends ControlId>(id: Id, input: Partial<ControlInputOf<Id>> = {}) => {
    const { method, path, success } = controlEndpoints[id]
    const { body } = input as { body?: unknown }
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const headers = { Host: 'localhost', 'Content-Type': 'application/json' }
    const reply = await exchange({ method, url: path, headers, ...payload })
    if (reply.status !== success.status) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return JSON.parse(reply.text).data as ControlOutputOf<Id>
  }
  const mint: Control['mint'] = async (scopes, { expiresIn = null, user = null } = {}) => {
    const body = { scopes: [...scopes], expires_in: expiresIn, user }
    return (await call('control.tokens.mint', { body })).token
  }
  return {
    mint,
    async advanceClock(ms) {
      await call('control.clock.advance', { body: { ms } })
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
