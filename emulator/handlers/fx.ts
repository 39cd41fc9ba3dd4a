import type { InputOf, OutputOf } from '../../src/contract/index.ts'
import type { Context } from '../context.ts'
import { serviceRates, shownRate, upstreamRates } from '../domain/rates.ts'
import { Refusal } from '../domain/refusal.ts'

/** A host that can't exist: nothing was asked of anybody. */
const source = 'https://rates.payctl.invalid'

export function rates(_: unknown, { world, now }: Context): OutputOf<'fx.rates'> {
  const settings = world.settings.rates()
  if (settings.offline) throw new Refusal(503)
  return shownRate(serviceRates(settings, now), source)
}

export function upstream({ params }: InputOf<'fx.upstream'>, { world, now }: Context): OutputOf<'fx.upstream'> {
  if (params.provider !== world.options.fxProvider) throw new Refusal(404)
  const settings = world.settings.rates()
  if (settings.offline) throw new Refusal(503)
  return shownRate(upstreamRates(settings, now), source)
}
