import { Channel, type SeedFile } from '../../src/contract/index.ts'
import { bandFault, defaultFees } from '../domain/fees.ts'
import { noLimits } from '../domain/initiate.ts'
import { rangeFault } from '../domain/lifecycle.ts'
import { endlessMaintenance, isEndless, noMaintenance } from '../domain/maintenance.ts'
import { crossingOf, gapOf } from '../domain/rates.ts'
import { isoTime } from '../domain/time.ts'
import { defaultRates, type StoredSettings } from '../store/settings.ts'
import type { World } from '../worlds/world.ts'
import type { Resolving } from './resolving.ts'

/** Reads a setting of a seed into the stored settings of a new world, and writes a world's setting into a seed. */
interface SettingCodec<Name extends keyof SeedFile> {
  /** Reports problems. The emulator's value, or else the default, applies to a missing setting. */
  read(given: SeedFile[Name], resolving: Resolving): Partial<StoredSettings>
  /** Returns undefined if a new world would have the setting without the seed. */
  write(world: World): SeedFile[Name]
}

type SettingName =
  | 'clock'
  | 'rails'
  | 'fees'
  | 'limits'
  | 'settle_ms'
  | 'lenient_iban'
  | 'fx'
  | 'rate_limit'
  | 'deliveries'

/** Codecs in the order of the settings in an exported seed. */
const codecs: { readonly [Name in SettingName]: SettingCodec<Name> } = {
  clock: {
    read(given, resolving) {
      const { now, startsAt } = resolving.context
      if (!given) return startsAt === undefined ? {} : { clock: { offset_ms: 0, frozen_at: startsAt } }
      const { time, frozen, speed } = given
      const start = resolving.time(time, ['clock', 'time'], resolving.start)
      const running = speed === undefined ? {} : { speed, since: now }
      return { clock: { offset_ms: start - now, frozen_at: frozen ? start : null, ...running } }
    },
    write({ clock }) {
      const { frozen, speed } = clock
      return { time: isoTime(clock.now()), frozen, ...(speed !== 1 && { speed }) }
    },
  },
  rails: {
    read(given, resolving) {
      // A rail without maintenance in the seed keeps the emulator's windows.
      const maintenance = { ...noMaintenance, ...resolving.context.maintenance, ...given?.maintenance }
      for (const rail of Channel.enum) {
        if (isEndless(maintenance[rail])) resolving.complain(['rails', 'maintenance', rail], endlessMaintenance)
      }
      if (!given) return { maintenance }
      const { under_way = {} } = given
      for (const rail of Channel.enum) {
        if (!under_way[rail] || given[rail] === 'offline' || maintenance[rail].length > 0) continue
        resolving.complain(['rails', 'under_way', rail], 'the rail is online and has no maintenance')
      }
      return {
        rails: { pin: given.pin !== 'offline', sinpe_movil: given.sinpe_movil !== 'offline' },
        underWay: { pin: 'complete', sinpe_movil: 'complete', ...under_way },
        maintenance,
      }
    },
    write({ settings, options }) {
      const [rails, maintenance] = [settings.get('rails'), settings.get('maintenance')]
      const failing = Channel.enum.filter((rail) => !rails[rail] || maintenance[rail].length > 0)
      const underWay = failing.map((rail) => [rail, settings.get('underWay')[rail]] as const)
      const { pin, sinpe_movil } = maintenance
      // An empty timetable overrides the emulator's windows.
      const timetables = [pin, sinpe_movil, ...Object.values(options.maintenance)]
      return {
        pin: rails.pin ? 'online' : 'offline',
        sinpe_movil: rails.sinpe_movil ? 'online' : 'offline',
        ...(underWay.length > 0 && { under_way: Object.fromEntries(underWay) }),
        ...(timetables.some(({ length }) => length > 0) && {
          maintenance: { pin: [...pin], sinpe_movil: [...sinpe_movil] },
        }),
      }
    },
  },
  fees: {
    read(given, resolving) {
      if (!given) return {}
      const fees = { ...defaultFees, ...given }
      const fault = bandFault(fees)
      if (fault !== null) resolving.complain(['fees', fault.field], fault.message)
      return { fees }
    },
    write: ({ settings }) => ({ ...settings.get('fees') }),
  },
  limits: {
    read: (given) =>
      given
        ? { limits: { ...noLimits, ...given, sinpe_movil: { ...noLimits.sinpe_movil, ...given.sinpe_movil } } }
        : {},
    write: ({ settings }) => ({ ...settings.get('limits') }),
  },
  settle_ms: {
    read(given, resolving) {
      if (!given) return {}
      const fault = rangeFault(given)
      if (fault !== null) resolving.complain(['settle_ms', fault.rail], fault.message)
      return { settle: given }
    },
    write: ({ settings }) => unlessEmpty(settings.get('settle')),
  },
  lenient_iban: {
    read: (_, { lenient }) => (lenient ? { lenientIban: true } : {}),
    write: ({ settings }) => settings.get('lenientIban') || undefined,
  },
  fx: {
    read(given, resolving) {
      const usual = defaultRates(resolving.context.fxSpread)
      const rates = { ...usual, ...given }
      if (gapOf(rates) < 0) resolving.complain(['fx', 'ask'], `the ${crossingOf(rates)}`)
      return { rates, spread: usual.spread }
    },
    write({ settings }) {
      const { bid, ask, spread, offline } = settings.get('rates')
      return { bid, ask, spread, offline }
    },
  },
  rate_limit: {
    read: (given) => (given === undefined ? {} : { rateLimit: { perMinute: given } }),
    write: ({ rateLimits, options }) => (rateLimits.limit === options.rateLimit ? undefined : rateLimits.limit),
  },
  deliveries: {
    read: (given) => (given ? { deliveries: given } : {}),
    write: ({ settings }) => unlessEmpty(settings.get('deliveries')),
  },
}

const unlessEmpty = <Setting extends object>(setting: Setting): Setting | undefined =>
  Object.keys(setting).length === 0 ? undefined : setting

const names = Object.keys(codecs) as SettingName[]

/** The settings that a new world stores. Reports the problems of all settings. */
export const readSettings = (seed: SeedFile, resolving: Resolving): Partial<StoredSettings> =>
  Object.assign({}, ...names.map((name) => (codecs[name] as SettingCodec<SettingName>).read(seed[name], resolving)))

/** The settings of a seed that makes a world like this world. */
export function writeSettings(world: World): Pick<SeedFile, SettingName> {
  const written = names.map((name) => [name, codecs[name].write(world)] as const)
  return Object.fromEntries(written.filter(([, setting]) => setting !== undefined))
}
