import { assertionEndpoints } from './control/assertions.ts'
import { clockEndpoints } from './control/clock.ts'
import { compareEndpoints } from './control/compare.ts'
import { creditEndpoints } from './control/credits.ts'
import { deliveryEndpoints } from './control/deliveries.ts'
import { eventEndpoints } from './control/events.ts'
import { faultEndpoints } from './control/faults.ts'
import { findEndpoints } from './control/find.ts'
import { momentEndpoints } from './control/moments.ts'
import { pageEndpoints } from './control/page.ts'
import { paymentEndpoints } from './control/payments.ts'
import { receiverEndpoints } from './control/receivers.ts'
import { registryEndpoints } from './control/registry.ts'
import { reportEndpoints } from './control/report.ts'
import { requestEndpoints } from './control/requests.ts'
import { settingEndpoints } from './control/settings.ts'
import { snapshotEndpoints } from './control/snapshots.ts'
import { stateEndpoints } from './control/state.ts'
import { userEndpoints } from './control/users.ts'
import { waitEndpoints } from './control/wait.ts'
import { worldEndpoints } from './control/worlds.ts'
import type { Endpoint, Input, Output } from './endpoint.ts'

export * from './control/assertions.ts'
export * from './control/clock.ts'
export * from './control/compare.ts'
export * from './control/credits.ts'
export * from './control/deliveries.ts'
export * from './control/events.ts'
export * from './control/faults.ts'
export * from './control/find.ts'
export * from './control/moments.ts'
export * from './control/page.ts'
export * from './control/payments.ts'
export * from './control/receivers.ts'
export * from './control/registry.ts'
export * from './control/report.ts'
export * from './control/requests.ts'
export * from './control/settings.ts'
export * from './control/snapshots.ts'
export * from './control/state.ts'
export * from './control/users.ts'
export * from './control/wait.ts'
export * from './control/worlds.ts'

/**
 * The emulator's control endpoints: they steer and inspect its worlds. The rows have the same form as the rows of the
 * service's endpoint table.
 */
export const controlEndpoints = {
  ...stateEndpoints,
  ...findEndpoints,
  ...clockEndpoints,
  ...creditEndpoints,
  ...paymentEndpoints,
  ...settingEndpoints,
  ...faultEndpoints,
  ...registryEndpoints,
  ...userEndpoints,
  ...deliveryEndpoints,
  ...receiverEndpoints,
  ...requestEndpoints,
  ...eventEndpoints,
  ...reportEndpoints,
  ...momentEndpoints,
  ...waitEndpoints,
  ...assertionEndpoints,
  ...worldEndpoints,
  ...snapshotEndpoints,
  ...pageEndpoints,
  ...compareEndpoints,
} as const satisfies Record<string, Endpoint>

export type ControlEndpoints = typeof controlEndpoints
export type ControlId = keyof ControlEndpoints
/** Endpoints that answer once, unlike a stream. */
export type ControlCallId = {
  [Id in ControlId]: ControlEndpoints[Id] extends { stream: true } ? never : Id
}[ControlId]
/** Endpoints that answer with a list in numbered pages. */
export type ControlListId = {
  [Id in ControlId]: ControlEndpoints[Id] extends { list: string } ? Id : never
}[ControlId]
export type ControlInputOf<Id extends ControlId> = Inputs[Id]
export type ControlOutputOf<Id extends ControlId> = Outputs[Id]

// These types are indexed by id, as in endpoints.ts.
type Inputs = { readonly [Id in ControlId]: Input<ControlEndpoints[Id]> }
type Outputs = { readonly [Id in ControlId]: Output<ControlEndpoints[Id]> }
