import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { maintenancePattern } from '../maintenance.ts'
import { RailState } from '../schemas/payment.ts'
import { closed, described, nullable, Timestamp } from '../schemas/scalars.ts'

const Windows = Type.Array(
  Type.String({
    pattern: maintenancePattern,
    'x-messages': { pattern: 'must be like 02:00-04:00, sun 22:00-23:30 or mon-fri 23:30-01:00, in Costa Rica’s time' },
  }),
  { maxItems: 50 },
)

const timetable = described(
  Windows,
  'Windows like `02:00-04:00`, `sun 22:00-23:30` or `mon-fri 23:30-01:00` in Costa Rica’s time, by which the rail goes offline and comes back; an empty list: no maintenance',
)

const maintenanceEnd = described(
  nullable(Timestamp),
  'When the maintenance that the rail is in ends; null: the rail is in no maintenance',
)

const UnderWay = Type.Enum(['complete', 'hang', 'timeout'], {
  description:
    'Payments under way over a rail that is offline: `complete` as if it were online, `hang` until it is, or end without success: `service_unavailable` before they are submitted to the rail, `timeout` after',
})
export type UnderWay = Static<typeof UnderWay>

export const RailStates = Type.Object({
  pin: RailState,
  sinpe_movil: RailState,
  under_way: Type.Object(
    { pin: UnderWay, sinpe_movil: UnderWay },
    { description: 'Result of the payments under way, by rail' },
  ),
  maintenance: Type.Object(
    { pin: timetable, sinpe_movil: timetable },
    { description: 'When a rail is offline by timetable: windows in Costa Rica’s time' },
  ),
  maintenance_until: Type.Object(
    { pin: maintenanceEnd, sinpe_movil: maintenanceEnd },
    { description: 'Ends of the maintenances under way, by rail' },
  ),
})

/**
 * Absent rails don't change. A given rail completes payments in progress unless `under_way` says otherwise; a rail with
 * a timetable keeps its `under_way`.
 */
export const RailsBody = closed({
  pin: Type.Optional(RailState),
  sinpe_movil: Type.Optional(RailState),
  under_way: Type.Optional(
    closed(
      { pin: Type.Optional(UnderWay), sinpe_movil: Type.Optional(UnderWay) },
      'Result of the payments under way, by rail; only of rails that are offline or have maintenance',
    ),
  ),
  maintenance: Type.Optional(
    closed(
      { pin: Type.Optional(timetable), sinpe_movil: Type.Optional(timetable) },
      'When a rail is offline by timetable',
    ),
  ),
})

export const railEndpoints = {
  'control.rails.get': endpoint({
    method: 'GET',
    path: '/_emulator/rails',
    summary: 'Which payment rails are online',
    description: 'Both are online until they are set. A rail in maintenance is offline.',
    access: 'control',
    success: { status: 200, message: 'Rails read', data: RailStates },
    errors: controlErrors,
  }),
  'control.rails.set': endpoint({
    method: 'POST',
    path: '/_emulator/rails',
    summary: 'Put payment rails out of order, or back, now or by timetable',
    description:
      'New payments over a rail that is offline end as `service_unavailable`. Those under way complete unless `under_way` says otherwise. A rail that is left out stays as it is. With `maintenance` a rail is offline in each window of its timetable, by the world’s clock. A rail is online only if it is in no window and was not put offline by this endpoint.',
    access: 'control',
    body: RailsBody,
    success: { status: 200, message: 'Rails set', data: RailStates },
    errors: controlBodyErrors,
  }),
} as const
