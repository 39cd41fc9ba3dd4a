import { Channel, type ControlOutputOf } from '../../src/contract/index.ts'
import { bandFault } from '../domain/fees.ts'
import { endlessMaintenance, isEndless, maintenanceEnd } from '../domain/maintenance.ts'
import { crossingOf, gapOf, type RateSettings, serviceRates, upstreamRates } from '../domain/rates.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { timestamp, timestampOrNull } from '../domain/time.ts'
import type { ControlHandlers } from '../http/context.ts'
import type { World } from '../worlds/world.ts'

export const settingHandlers = {
  'control.rails.get': (_, { world }) => railStates(world),

  'control.rails.set'({ body }, { world }) {
    const { database, settings, payments, credits, clock } = world
    const { under_way, ...states } = body
    const before = { rails: settings.get('rails'), underWay: settings.get('underWay') }
    const maintenance = { ...settings.get('maintenance'), ...body.maintenance }
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
    return railStates(world)
  },

  'control.fees.get': (_, { world }) => fees(world),

  'control.fees.set'({ body }, { world }) {
    const { database, settings } = world
    const set = { ...settings.get('fees'), ...body }
    const fault = bandFault(set)
    if (fault !== null) throw invalid(fault.field, fault.message)
    database.write(() => settings.set('fees', set))
    return fees(world)
  },

  'control.fx.get': (_, { world }) => fxState(world),

  'control.fx.set'({ body }, { world }) {
    const { database, settings } = world
    const before = settings.get('rates')
    const { bid, ask, spread, offline }: RateSettings = { ...before, ...body }
    const rates = { bid, ask, spread, offline }
    // The rates of a world that an earlier version made may cross. Accepts unchanged rates, and what does not make the
    // rates cross further. Two fixed rates that cross always do, so new ones are refused.
    const mayCross = bid === null || ask === null || (bid === before.bid && ask === before.ask)
    if (gapOf(rates) < (mayCross ? Math.min(0, gapOf(before)) : 0)) {
      throw invalid(body.ask === undefined ? 'bid' : 'ask', `The ${crossingOf(rates)}`)
    }
    database.write(() => settings.set('rates', rates))
    return fxState(world)
  },

  'control.limits.get': (_, { world }) => world.settings.get('limits'),

  'control.limits.set'({ body }, { world }) {
    const { database, settings } = world
    const { sinpe_movil, answer } = settings.get('limits')
    const set = { sinpe_movil: { ...sinpe_movil, ...body.sinpe_movil }, answer: body.answer ?? answer }
    database.write(() => settings.set('limits', set))
    return settings.get('limits')
  },

  'control.rateLimit.get': (_, { world }) => rateLimitState(world),

  'control.rateLimit.set'({ body }, { world }) {
    const { rateLimits, clock } = world
    const { limit = rateLimits.limit, exhausted } = body
    if (exhausted && limit === null) throw new Refusal(409)
    rateLimits.limit = limit
    if (exhausted !== undefined) rateLimits.exhaust(exhausted, clock.now())
    return rateLimitState(world)
  },
} satisfies Partial<ControlHandlers>

export function railStates({ settings, clock }: World): ControlOutputOf<'control.rails.get'> {
  const now = clock.now()
  const [pin, sinpe_movil] = [settings.isOnline('pin', now), settings.isOnline('sinpe_movil', now)]
  const maintenance = settings.get('maintenance')
  const until = (rail: Channel) => timestampOrNull(maintenanceEnd(maintenance[rail], now))
  return {
    pin: pin ? 'online' : 'offline',
    sinpe_movil: sinpe_movil ? 'online' : 'offline',
    under_way: { ...settings.get('underWay') },
    maintenance: { pin: [...maintenance.pin], sinpe_movil: [...maintenance.sinpe_movil] },
    maintenance_until: { pin: until('pin'), sinpe_movil: until('sinpe_movil') },
  }
}

export function fees({ settings }: World): ControlOutputOf<'control.fees.get'> {
  const { pin, pin_usd, sinpe_movil, own_accounts } = settings.get('fees')
  return { pin, pin_usd, sinpe_movil, own_accounts }
}

export function fxState({ settings, clock }: World): ControlOutputOf<'control.fx.get'> {
  const rates = settings.get('rates')
  const now = clock.now()
  const { bid, ask, spread, offline } = rates
  const [upstream, service] = [upstreamRates(rates, now), serviceRates(rates, now)]
  return {
    bid,
    ask,
    spread,
    offline,
    upstream: { bid: upstream.bid, ask: upstream.ask },
    service: { bid: service.bid, ask: service.ask },
  }
}

function rateLimitState({ rateLimits, clock }: World): ControlOutputOf<'control.rateLimit.get'> {
  const { limit, exhausted, resetsAt } = rateLimits.state(clock.now())
  return { limit, exhausted, resets_at: timestamp(resetsAt) }
}
