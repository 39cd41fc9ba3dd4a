import type { ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import { type RateSettings, serviceRates, upstreamRates } from '../domain/rates.ts'
import { invalid } from '../domain/refusal.ts'
import type { ControlContext } from './context.ts'

export function fxState(_: unknown, { world }: ControlContext): ControlOutputOf<'control.fx.get'> {
  const settings = world.settings.rates()
  const now = world.clock.now()
  const { bid, ask, spread, offline } = settings
  return {
    bid,
    ask,
    spread,
    offline,
    upstream: pair(upstreamRates(settings, now)),
    service: pair(serviceRates(settings, now)),
  }
}

export function setFx(
  { body }: ControlInputOf<'control.fx.set'>,
  context: ControlContext,
): ControlOutputOf<'control.fx.set'> {
  const { database, settings, clock } = context.world
  const { bid, ask, spread, offline }: RateSettings = { ...settings.rates(), ...body }
  const rates = { bid, ask, spread, offline }
  const upstream = upstreamRates(rates, clock.now())
  if (upstream.ask < upstream.bid) {
    throw invalid(
      body.ask === undefined ? 'bid' : 'ask',
      `The ask (${upstream.ask}) is below the bid (${upstream.bid})`,
    )
  }
  database.write(() => settings.set('rates', rates))
  return fxState(null, context)
}

const pair = ({ bid, ask }: { bid: number; ask: number }) => ({ bid, ask })
