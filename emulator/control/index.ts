import { type ChaosState, identityProof } from '../../src/contract/index.ts'
import type { ControlHandlers } from '../http/context.ts'
import { version } from '../version.ts'
import { getAccount, setAccount } from './accounts.ts'
import { createClient, listClients, removeClient } from './clients.ts'
import { advance, clockState, freeze, freezeAt, runUntilIdle, setSpeed, setTime, unfreeze } from './clock.ts'
import { listTokens, mintToken, revokeToken } from './credentials.ts'
import { cancelCredit, createCredit, listScheduledCredits, scheduleCredit } from './credits.ts'
import { deliverySettings, getDelivery, listDeliveries, resendDelivery, setDeliverySettings } from './deliveries.ts'
import { addFault, clearFaults, listFaults, removeFault } from './faults.ts'
import { findIds } from './ids.ts'
import { limits, setLimits } from './limits.ts'
import { movePayment, returnPayment } from './payments.ts'
import { rateLimitState, setRateLimit } from './rate_limit.ts'
import { addToRegistry, listRegistry, removeFromRegistry, scenarios } from './registry.ts'
import { getRequest, listRequests } from './requests.ts'
import { fees, fxState, railStates, setFees, setFx, setRails } from './settings.ts'
import { querySql } from './sql.ts'
import { checkLedger, reset, state } from './state.ts'
import { timeline } from './timeline.ts'
import { createUser, listUsers } from './users.ts'
import { wait } from './wait.ts'
import {
  createWorld,
  deleteSnapshot,
  deleteWorld,
  exportSeed,
  exportWorld,
  getWorld,
  importWorld,
  listSnapshots,
  listWorlds,
  restoreSnapshot,
  takeSnapshot,
} from './worlds.ts'

export { checkLedger } from './state.ts'

/** Chaos state of a world without chaos. */
const calm: ChaosState = { seed: null, profile: null, counts: [] }

/** Handlers of the emulator's own endpoints. */
export const controlHandlers: ControlHandlers = {
  'control.health': () => ({ status: 'ok', version, pid: process.pid }),
  'control.ids.find': findIds,
  'control.identity': ({ query }, { identitySecret, world }) => ({
    proof: identityProof(identitySecret, query.challenge),
    world: world.id,
  }),
  'control.state': state,
  'control.reset': reset,
  'control.ledger': (_, { world }) => checkLedger(world),
  'control.clock.get': (_, { world }) => clockState(world),
  'control.clock.advance': advance,
  'control.clock.set': setTime,
  'control.clock.at': freezeAt,
  'control.clock.runUntilIdle': runUntilIdle,
  'control.clock.speed': setSpeed,
  'control.clock.freeze': freeze,
  'control.clock.unfreeze': unfreeze,
  'control.credits.create': createCredit,
  'control.credits.schedule': scheduleCredit,
  'control.credits.list': listScheduledCredits,
  'control.credits.cancel': cancelCredit,
  'control.payments.move': movePayment,
  'control.payments.return': returnPayment,
  'control.accounts.get': getAccount,
  'control.accounts.set': setAccount,
  'control.rails.get': railStates,
  'control.rails.set': setRails,
  'control.fees.get': fees,
  'control.fees.set': setFees,
  'control.limits.get': limits,
  'control.limits.set': setLimits,
  'control.fx.get': fxState,
  'control.fx.set': setFx,
  'control.rateLimit.get': rateLimitState,
  'control.rateLimit.set': setRateLimit,
  'control.faults.list': listFaults,
  'control.faults.add': addFault,
  'control.faults.remove': removeFault,
  'control.faults.clear': clearFaults,
  'control.chaos': (_, { world }) => world.chaos?.state ?? calm,
  'control.scenarios': scenarios,
  'control.registry.list': listRegistry,
  'control.registry.add': addToRegistry,
  'control.registry.remove': removeFromRegistry,
  'control.users.list': listUsers,
  'control.users.create': createUser,
  'control.tokens.list': listTokens,
  'control.tokens.mint': mintToken,
  'control.tokens.revoke': revokeToken,
  'control.clients.list': listClients,
  'control.clients.create': createClient,
  'control.clients.remove': removeClient,
  'control.deliveries.list': listDeliveries,
  'control.deliveries.get': getDelivery,
  'control.deliveries.resend': resendDelivery,
  'control.deliverySettings.get': deliverySettings,
  'control.deliverySettings.set': setDeliverySettings,
  'control.requests.list': listRequests,
  'control.requests.get': getRequest,
  'control.timeline': timeline,
  'control.report': (_, { worlds }) => worlds.tally.report(worlds.all(), worlds.ended.list()),
  'control.sql': querySql,
  'control.wait': wait,
  'control.worlds.create': createWorld,
  'control.worlds.list': listWorlds,
  'control.worlds.get': getWorld,
  'control.worlds.delete': deleteWorld,
  'control.seed': exportSeed,
  'control.export': exportWorld,
  'control.import': importWorld,
  'control.snapshots.create': takeSnapshot,
  'control.snapshots.list': listSnapshots,
  'control.snapshots.restore': restoreSnapshot,
  'control.snapshots.delete': deleteSnapshot,
}
