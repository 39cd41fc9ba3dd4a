import type { ControlInputOf, ControlOutputOf, RailState } from '../../src/contract/index.ts'
import type { ControlContext } from './context.ts'

export function railStates(_: unknown, { world }: ControlContext): ControlOutputOf<'control.rails.get'> {
  const { pin, sinpe_movil } = world.settings.rails()
  return { pin: stateOf(pin), sinpe_movil: stateOf(sinpe_movil) }
}

export function setRails(
  { body }: ControlInputOf<'control.rails.set'>,
  context: ControlContext,
): ControlOutputOf<'control.rails.set'> {
  const { database, settings } = context.world
  const { pin, sinpe_movil } = { ...railStates(null, context), ...body }
  database.write(() => settings.set('rails', { pin: pin === 'online', sinpe_movil: sinpe_movil === 'online' }))
  return railStates(null, context)
}

const stateOf = (online: boolean): RailState => (online ? 'online' : 'offline')

export const fees = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.fees.get'> => {
  const { pin, sinpe_movil } = world.settings.fees()
  return { pin, sinpe_movil }
}

export function setFees(
  { body }: ControlInputOf<'control.fees.set'>,
  context: ControlContext,
): ControlOutputOf<'control.fees.set'> {
  const { database, settings } = context.world
  const { pin, sinpe_movil } = { ...settings.fees(), ...body }
  database.write(() => settings.set('fees', { pin, sinpe_movil }))
  return fees(null, context)
}
