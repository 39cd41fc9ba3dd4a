import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { type EndpointId, endpoints } from '../endpoints.ts'
import { controlBodyErrors, controlErrors, errorStatuses } from '../errors.ts'
import { nullable } from '../schemas/scalars.ts'

const Service = Type.Enum(Object.keys(endpoints) as EndpointId[])
const Status = Type.Integer({ minimum: 400, maximum: Math.max(...Object.keys(errorStatuses).map(Number)) })
const Times = Type.Integer({ minimum: 1, maximum: 1_000_000 })

/**
 * What an endpoint of the service answers instead of doing its work: one of its own error statuses, in its own words.
 * `times` is how often it still does; null: until the rules are cleared.
 */
export const FaultRule = Type.Object({ endpoint: Service, status: Status, times: nullable(Times) })
export type FaultRule = Static<typeof FaultRule>

/** Once, where `times` is not given. */
export const FaultBody = Type.Object({
  endpoint: Service,
  status: Status,
  times: Type.Optional(nullable(Times)),
})
export type FaultBody = Static<typeof FaultBody>

export const faultEndpoints = {
  'control.faults.list': endpoint({
    method: 'GET',
    path: '/_emulator/faults',
    summary: 'The faults that endpoints of the service have now, in the order they come',
    access: 'control',
    success: { status: 200, message: 'Faults listed', data: Type.Array(FaultRule) },
    errors: controlErrors,
  }),
  'control.faults.add': endpoint({
    method: 'POST',
    path: '/_emulator/faults',
    summary: 'Have an endpoint of the service answer with one of its errors, and do nothing',
    access: 'control',
    body: FaultBody,
    success: { status: 201, message: 'Fault added', data: FaultRule },
    errors: controlBodyErrors,
  }),
  'control.faults.clear': endpoint({
    method: 'DELETE',
    path: '/_emulator/faults',
    summary: 'End all faults; the answer lists those that were left',
    access: 'control',
    success: { status: 200, message: 'Faults cleared', data: Type.Array(FaultRule) },
    errors: controlErrors,
  }),
} as const
