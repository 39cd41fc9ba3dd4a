import { controlAccountEndpoints } from './control/accounts.ts'
import { chaosEndpoints } from './control/chaos.ts'
import { clientEndpoints } from './control/clients.ts'
import { clockEndpoints } from './control/clock.ts'
import { creditEndpoints } from './control/credits.ts'
import { deliveryEndpoints } from './control/deliveries.ts'
import { faultEndpoints } from './control/faults.ts'
import { feeEndpoints } from './control/fees.ts'
import { fxEndpoints } from './control/fx.ts'
import { identityEndpoints } from './control/identity.ts'
import { idEndpoints } from './control/ids.ts'
import { limitEndpoints } from './control/limits.ts'
import { movePaymentEndpoints } from './control/payments.ts'
import { railEndpoints } from './control/rails.ts'
import { rateLimitEndpoints } from './control/rate_limit.ts'
import { registryEndpoints } from './control/registry.ts'
import { reportEndpoints } from './control/report.ts'
import { requestEndpoints } from './control/requests.ts'
import { sqlEndpoints } from './control/sql.ts'
import { stateEndpoints } from './control/state.ts'
import { tokenEndpoints } from './control/tokens.ts'
import { userEndpoints } from './control/users.ts'
import { waitEndpoints } from './control/wait.ts'
import { worldFileEndpoints } from './control/world_files.ts'
import { worldEndpoints } from './control/worlds.ts'
import type { Endpoint, Input, Output } from './endpoint.ts'

export * from './control/accounts.ts'
export * from './control/chaos.ts'
export * from './control/clients.ts'
export * from './control/clock.ts'
export * from './control/credits.ts'
export * from './control/deliveries.ts'
export * from './control/faults.ts'
export * from './control/fees.ts'
export * from './control/fx.ts'
export * from './control/identity.ts'
export * from './control/ids.ts'
export * from './control/limits.ts'
export * from './control/payments.ts'
export * from './control/rails.ts'
export * from './control/rate_limit.ts'
export * from './control/registry.ts'
export * from './control/report.ts'
export * from './control/requests.ts'
export * from './control/settle.ts'
export * from './control/sql.ts'
export * from './control/state.ts'
export * from './control/tokens.ts'
export * from './control/users.ts'
export * from './control/wait.ts'
export * from './control/world_files.ts'
export * from './control/worlds.ts'

/** The emulator's control endpoints: they steer and inspect its worlds. The rows are like the service's. */
export const controlEndpoints = {
  ...stateEndpoints,
  ...idEndpoints,
  ...identityEndpoints,
  ...clockEndpoints,
  ...creditEndpoints,
  ...movePaymentEndpoints,
  ...controlAccountEndpoints,
  ...railEndpoints,
  ...feeEndpoints,
  ...limitEndpoints,
  ...fxEndpoints,
  ...rateLimitEndpoints,
  ...faultEndpoints,
  ...chaosEndpoints,
  ...registryEndpoints,
  ...userEndpoints,
  ...tokenEndpoints,
  ...clientEndpoints,
  ...deliveryEndpoints,
  ...requestEndpoints,
  ...reportEndpoints,
  ...sqlEndpoints,
  ...waitEndpoints,
  ...worldEndpoints,
  ...worldFileEndpoints,
} as const satisfies Record<string, Endpoint>

export type ControlEndpoints = typeof controlEndpoints
export type ControlId = keyof ControlEndpoints
/** Endpoints that answer with a list in numbered pages. */
export type ControlListId = {
  [Id in ControlId]: ControlEndpoints[Id] extends { list: string } ? Id : never
}[ControlId]
export type ControlInputOf<Id extends ControlId> = Inputs[Id]
export type ControlOutputOf<Id extends ControlId> = Outputs[Id]

// Indexed by id, as in endpoints.ts.
type Inputs = { readonly [Id in ControlId]: Input<ControlEndpoints[Id]> }
type Outputs = { readonly [Id in ControlId]: Output<ControlEndpoints[Id]> }
