import type { ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import type { ControlContext } from '../http/context.ts'

export const limits = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.limits.get'> =>
  world.settings.limits()

export function setLimits(
  { body }: ControlInputOf<'control.limits.set'>,
  { world }: ControlContext,
): ControlOutputOf<'control.limits.set'> {
  const { database, settings } = world
  const { sinpe_movil, answer } = settings.limits()
  const set = { sinpe_movil: { ...sinpe_movil, ...body.sinpe_movil }, answer: body.answer ?? answer }
  database.write(() => settings.set('limits', set))
  return settings.limits()
}
