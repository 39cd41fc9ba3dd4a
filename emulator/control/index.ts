import type { TSchema } from 'typebox'
import { type ControlCallId, controlEndpoints, SeedFile } from '../../src/contract/index.ts'
import { nextTurn } from '../../src/real_time.ts'
import type { ControlContext, ControlHandlers } from '../http/context.ts'
import { asTyped, errorsOf, type RawRequest, type Validator, validatorFor } from '../http/validation.ts'
import type { Cause } from '../store/database.ts'
import type { World } from '../worlds/world.ts'
import { assertionHandlers } from './assertions.ts'
import { clockHandlers } from './clock.ts'
import { creditHandlers } from './credits.ts'
import { deliveryHandlers } from './deliveries.ts'
import { faultHandlers } from './faults.ts'
import { momentHandlers } from './moments.ts'
import { pageHandlers } from './page.ts'
import { paymentHandlers } from './payments.ts'
import { receiverHandlers } from './receivers.ts'
import { registryHandlers } from './registry.ts'
import { requestHandlers } from './requests.ts'
import { returnHandlers } from './returns.ts'
import { settingHandlers } from './settings.ts'
import { sqlHandlers } from './sql.ts'
import { stateHandlers } from './state.ts'
import { timelineHandlers } from './timeline.ts'
import { userHandlers } from './users.ts'
import { waitHandlers } from './wait.ts'
import { worldHandlers } from './worlds.ts'

/** Handlers of the emulator's own endpoints. */
const controlHandlers: ControlHandlers = {
  ...stateHandlers,
  ...clockHandlers,
  ...creditHandlers,
  // Loaded at the first use: most emulators never search or compare.
  'control.find': async (input, context) => (await import('./find.ts')).find(input, context),
  'control.compare': async (input, context) => (await import('./compare.ts')).compare(input, context),
  ...paymentHandlers,
  ...returnHandlers,
  ...settingHandlers,
  ...faultHandlers,
  ...registryHandlers,
  ...userHandlers,
  ...deliveryHandlers,
  ...receiverHandlers,
  ...requestHandlers,
  ...momentHandlers,
  ...timelineHandlers,
  ...sqlHandlers,
  ...waitHandlers,
  ...assertionHandlers,
  ...worldHandlers,
  ...pageHandlers,
}

/** A call of a control endpoint, over HTTP or from a program in this process. */
interface ControlCall extends Omit<ControlContext, 'world'> {
  readonly request: RawRequest
  /** Id of the intended world, if known: a later world may have the same name. */
  readonly worldId: string | undefined
}

/**
 * Runs a control endpoint. Resolves when the call's writes are committed, with the world that now has this name: the
 * call may have reset the earlier world. Throws a Refusal.
 */
export async function runControl(
  id: ControlCallId,
  { request, worldId, ...context }: ControlCall,
): Promise<{ data: unknown; world: World }> {
  const { worlds, name } = context
  const live = worlds.find(name, worldId)
  // Each handler accepts the input of its endpoint, but TypeScript can't check that for a variable id.
  const handle = controlHandlers[id] as (input: unknown, context: ControlContext) => unknown
  const input = validatorOf(id).input(request)
  const { method, path } = controlEndpoints[id]
  const cause: Cause = { kind: 'control', what: `${method} ${path}`, id: null, payment: null }
  const data = await worlds.during(name, () =>
    live.world.moments.during(cause, () => handle(input, { ...context, world: live.world })),
  )
  if (paymentMakers.has(id)) cause.payment = (data as { readonly id: string }).id
  const { world } = live
  await world.database.settled
  return { data, world }
}

/** Endpoints that answer with the payment that they made or changed. */
const paymentMakers: ReadonlySet<ControlCallId> = new Set([
  'control.credits.create',
  'control.payments.move',
  'control.payments.return',
])

const validators = new Map<ControlCallId, Validator>()

function validatorOf(id: ControlCallId): Validator {
  const validator = validators.get(id) ?? validatorFor(controlEndpoints[id], asTyped)
  validators.set(id, validator)
  return validator
}

/** Compiles the schemas of seeds between requests, so that no request has to wait 100 ms for the compilation. */
export async function prepareForSeeds(): Promise<void> {
  errorsOf({ type: 'object' } as TSchema, {})
  await nextTurn()
  errorsOf(SeedFile, {})
  await nextTurn()
  validatorOf('control.worlds.create').input({ params: {}, query: {}, headers: {}, body: {} })
}
