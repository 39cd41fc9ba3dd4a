import { Channel, type ControlInputOf, type ControlOutputOf, type RailState } from '../../src/contract/index.ts'
import { bandFault } from '../domain/fees.ts'
import { endlessMaintenance, isEndless, maintenanceEnd } from '../domain/maintenance.ts'
import { type RateSettings, serviceRates, upstreamRates } from '../domain/rates.ts'
import { invalid } from '../domain/refusal.ts'
import { timestampOrNull } from '../domain/time.ts'
import type { ControlContext } from '../http/context.ts'

export function railStates(_: unknown, { world }: ControlContext): ControlOutputOf<'control.rails.get'> {
  const { settings, clock } = world
  const now = clock.now()
  const { pin, sinpe_movil } = settings.railsAt(now)
  const maintenance = settings.maintenance()
  const until = (rail: Channel) => timestampOrNull(maintenanceEnd(maintenance[rail], now))
  return {
    pin: stateOf(pin),
    sinpe_movil: stateOf(sinpe_movil),
    under_way: { ...settings.underWay() },
    maintenance: { pin: [...maintenance.pin], sinpe_movil: [...maintenance.sinpe_movil] },
    maintenance_until: { pin: until('pin'), sinpe_movil: until('sinpe_movil') },
  }
}

export function setRails(
  { body }: ControlInputOf<'control.rails.set'>,
  context: ControlContext,
): ControlOutputOf<'control.rails.set'> {
  const { database, settings, payments, credits, clock } = context.world
  const { under_way, ...states } = body
  const before = { rails: settings.rails(), underWay: settings.underWay() }
  const maintenance = { ...settings.maintenance(), ...body.maintenance }
  const isOnline = (rail: Channel) => (states[rail] ? states[rail] === 'online' : before.rails[rail])
  const rails = { pin: isOnline('pin'), sinpe_movil: isOnline('sinpe_movil') }
  const hasWindows = (rail: Channel) => maintenance[rail].length > 0
  for (const rail of Channel.enum) {
    if (isEndless(maintenance[rail])) throw invalid(`maintenance.${rail}`, endlessMaintenance)
    if (under_way?.[rail] && rails[rail] && !hasWindows(rail)) {
      throw invalid(`under_way.${rail}`, `The ${rail} rail is online and has no maintenance`)
    }
  }
  const failure = (rail: Channel) => {
    const stays = hasWindows(rail) || !(states[rail] || rails[rail])
    return under_way?.[rail] ?? (stays ? before.underWay[rail] : 'complete')
  }
  database.write(() => {
    settings.set('rails', rails)
    settings.set('maintenance', maintenance)
    settings.set('underWay', { pin: failure('pin'), sinpe_movil: failure('sinpe_movil') })
    payments.resumeHung(clock.now())
    credits.wake()
  })
  return railStates(null, context)
}

const stateOf = (online: boolean): RailState => (online ? 'online' : 'offline')

export const fees = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.fees.get'> => {
  const { pin, pin_usd, sinpe_movil, own_accounts } = world.settings.fees()
  return { pin, pin_usd, sinpe_movil, own_accounts }
}

export function setFees(
  { body }: ControlInputOf<'control.fees.set'>,
  context: ControlContext,
): ControlOutputOf<'control.fees.set'> {
  const { database, settings } = context.world
  const set = { ...settings.fees(), ...body }
  const fault = bandFault(set)
  if (fault !== null) throw invalid(fault.field, fault.message)
  database.write(() => settings.set('fees', set))
  return fees(null, context)
}

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
