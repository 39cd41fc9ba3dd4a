import { Argument, InvalidArgumentError, Option } from 'commander'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { ControlAnswerOf } from '../../client/received.ts'
import type { Fee, Fees } from '../../contract/control/fees.ts'
import type { UnderWay } from '../../contract/control/rails.ts'
import { channels, railStates } from '../../contract/payment_names.ts'
import type { Channel, RailState } from '../../contract/schemas/payment.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { decimal } from '../../money/decimal.ts'
import { field, status, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { parseAmount } from '../../values/amount.ts'
import { maintenanceWindow, rateLimit as requestRate } from '../emulate_values.ts'

const railColumns: readonly Column<ControlAnswerOf<'control.rails.get'>>[] = [
  status('pin', ({ pin }) => pin),
  status('sinpe_movil', ({ sinpe_movil }) => sinpe_movil),
  field('pin_under_way', ({ under_way }) => under_way.pin),
  field('sinpe_movil_under_way', ({ under_way }) => under_way.sinpe_movil),
  field('pin_maintenance', ({ maintenance }) => maintenance.pin.join(', ')),
  field('sinpe_movil_maintenance', ({ maintenance }) => maintenance.sinpe_movil.join(', ')),
  time('pin_maintenance_until', ({ maintenance_until }) => maintenance_until.pin),
  time('sinpe_movil_maintenance_until', ({ maintenance_until }) => maintenance_until.sinpe_movil),
]

interface RailFlags {
  readonly underWay?: UnderWay
  readonly maintenance?: readonly string[]
}

export const rail: CommandModule = (command, context) => {
  controlled(command)
    .description('Show which rails are online, put one out of order or back, now or by timetable.')
    .addArgument(new Argument('[rail]', 'the rail').choices(channels))
    .addArgument(new Argument('[state]', 'what becomes of it').choices(railStates))
    .addOption(
      new Option(
        '--under-way <result>',
        'offline: payments under way complete, hang until it is back, or time out',
      ).choices(['complete', 'hang', 'timeout']),
    )
    .option(
      '--maintenance <window|off>',
      'offline by timetable, in Costa Rica’s time: 02:00-04:00\nor "sun 22:00-23:30"; repeatable, replaces those before',
      addWindow,
    )
    .action(async (name: Channel | undefined, state: RailState | undefined, { underWay, maintenance }: RailFlags) => {
      const asked = [state, underWay, maintenance].some((value) => value !== undefined)
      if (asked && name === undefined) throw new UsageError(`Name the rail: ${channels.join(' or ')}.`)
      const body = name && {
        ...(state && { [name]: state }),
        ...(underWay && { under_way: { [name]: underWay } }),
        ...(maintenance && { maintenance: { [name]: maintenance } }),
      }
      const rails = await steer(command, context, (control) =>
        body && asked ? control.call('control.rails.set', { body }) : control.call('control.rails.get'),
      )
      await context.output.record(rails, railColumns)
    })
  examples(command, [
    'payctl emulator rail',
    'payctl emulator rail pin offline',
    'payctl emulator rail pin offline --under-way hang',
    'payctl emulator rail sinpe_movil online',
    'payctl emulator rail pin --maintenance 02:00-04:00 --under-way hang',
    'payctl emulator rail pin --maintenance "sun 22:00-23:30"',
    'payctl emulator rail pin --maintenance off',
  ])
}

/** `off` is an empty timetable. */
function addWindow(text: string, before: readonly string[] = []): readonly string[] {
  return text === 'off' ? [] : [...before, maintenanceWindow(text)]
}

const feeColumns: readonly Column<ControlAnswerOf<'control.fees.get'>>[] = [
  field('pin', ({ pin }) => feeText(pin)),
  field('pin_usd', ({ pin_usd }) => feeText(pin_usd)),
  field('sinpe_movil', ({ sinpe_movil }) => feeText(sinpe_movil)),
  field('own_accounts', ({ own_accounts }) => own_accounts),
]

/** A fee as it is typed: `2.50`, or with bands `100000.00:0.00,2.50`. */
function feeText(fee: ControlAnswerOf<'control.fees.get'>['pin']): string {
  if (!Array.isArray(fee)) return decimal(fee)
  const bands = fee.map((band) => `${band.up_to === null ? '' : `${decimal(band.up_to)}:`}${decimal(band.fee)}`)
  return bands.join(',')
}

interface FeeFlags {
  readonly pin?: Fee
  readonly pinUsd?: Fee
  readonly sinpeMovil?: Fee
  readonly ownAccounts?: Fees['own_accounts']
}

export const fees: CommandModule = (command, context) => {
  controlled(command)
    .description('Show or set what a payment costs, in major units of its currency. Payments under way keep their fee.')
    .option('--pin <fee>', 'over PIN in CRC: 2.50, or by amount 100000:0,2.50', fee)
    .option('--pin-usd <fee>', 'over PIN in USD', fee)
    .option('--sinpe-movil <fee>', 'over SINPE Móvil', fee)
    .addOption(
      new Option('--own-accounts <how>', 'between accounts of one user: as to anybody, or free').choices([
        'same',
        'free',
      ]),
    )
    .action(async ({ pin, pinUsd, sinpeMovil, ownAccounts }: FeeFlags) => {
      const body = { pin, pin_usd: pinUsd, sinpe_movil: sinpeMovil, own_accounts: ownAccounts }
      const asked = Object.values(body).some((value) => value !== undefined)
      const shown = await steer(command, context, (control) =>
        asked ? control.call('control.fees.set', { body }) : control.call('control.fees.get'),
      )
      await context.output.record(shown, feeColumns)
    })
  examples(command, [
    'payctl emulator fees',
    'payctl emulator fees --pin 2.50 --pin-usd 0.30 --sinpe-movil 0',
    'payctl emulator fees --sinpe-movil 100000:0,500000:1.50,3.00 --own-accounts free',
  ])
}

/** A fee in major units; with bands the largest amount of each but the last comes before a colon. */
function fee(text: string): Fee {
  if (!/[:,]/.test(text)) return amountOrZero(text)
  const parts = text.split(',').map((part) => part.split(':'))
  const bands = parts.map((part, at) => {
    const [bound, amount] = part.length === 1 ? [undefined, part[0]] : part
    if (amount === undefined || part.length > 2 || (bound === undefined) !== (at === parts.length - 1)) {
      throw new InvalidArgumentError(
        'Give a fee like 2.50, or bands like 100000:0,2.50: nothing up to 100000, and 2.50 above.',
      )
    }
    return { up_to: bound === undefined ? null : amountOrZero(bound), fee: amountOrZero(amount) }
  })
  return bands
}

/** Major units to minor ones. */
export function amountOrZero(text: string): number {
  if (/^0+(\.0{1,2})?$/.test(text)) return 0
  const { minor, currency } = parseAmount(text)
  if (currency === undefined) return minor
  throw new InvalidArgumentError('Give an amount like 2.50, or 0.')
}

const rateColumns: readonly Column<ControlAnswerOf<'control.fx.get'>>[] = [
  status('status', ({ offline }) => (offline ? 'offline' : 'online')),
  field('bid', ({ service }) => service.bid),
  field('ask', ({ service }) => service.ask),
  field('upstream_bid', ({ upstream }) => upstream.bid),
  field('upstream_ask', ({ upstream }) => upstream.ask),
  field('spread', ({ spread }) => spread),
  field('fixed_bid', ({ bid }) => bid !== null),
  field('fixed_ask', ({ ask }) => ask !== null),
]

type Rate = number | 'auto'

interface RateFlags {
  readonly bid?: Rate
  readonly ask?: Rate
  readonly spread?: number
  readonly offline?: true
  readonly online?: true
}

export const fx: CommandModule = (command, context) => {
  controlled(command)
    .description('Show or set exchange rates (CRC for one USD), put them out of order or back.')
    .option('--bid <rate>', 'of the upstream provider; auto lets it move by itself', rate)
    .option('--ask <rate>', 'of the upstream provider; auto lets it move by itself', rate)
    .option('--spread <share>', 'the service’s share on each side: 0.004 is 0.4 %', decimalNumber)
    .option('--offline', 'the service answers 503 for rates')
    .addOption(new Option('--online', 'the service answers with rates again').conflicts('offline'))
    .action(async ({ bid, ask, spread, offline, online }: RateFlags) => {
      const body = { bid: fixed(bid), ask: fixed(ask), spread, offline: offline ?? (online ? false : undefined) }
      const asked = Object.values(body).some((value) => value !== undefined)
      const state = await steer(command, context, (control) =>
        asked ? control.call('control.fx.set', { body }) : control.call('control.fx.get'),
      )
      await context.output.record(state, rateColumns)
    })
  examples(command, [
    'payctl emulator fx',
    'payctl emulator fx --bid 500 --ask 510 --spread 0.004',
    'payctl emulator fx --offline',
    'payctl emulator fx --online --bid auto --ask auto',
  ])
}

const rate = (text: string): Rate => (text === 'auto' ? text : decimalNumber(text))

const fixed = (given: Rate | undefined): number | null | undefined => (given === 'auto' ? null : given)

function decimalNumber(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a number like 505.25.')
}

const limitColumns: readonly Column<ControlAnswerOf<'control.rateLimit.get'>>[] = [
  field('limit', ({ limit }) => limit ?? 'off'),
  field('exhausted', ({ exhausted }) => exhausted),
  time('resets_at', ({ resets_at }) => resets_at),
]

interface LimitFlags {
  readonly set?: number | 'off'
  readonly exhaust?: true
}

export const rateLimit: CommandModule = (command, context) => {
  controlled(command)
    .description('Show or set how many requests a minute each client and endpoint has, or use them up for everybody.')
    .option('--set <n/min|off>', 'requests a minute', requestRate)
    .option('--exhaust', 'every request of this minute by the emulator’s clock is answered 429')
    .action(async ({ set, exhaust }: LimitFlags) => {
      const limit = set === 'off' ? null : set
      const body = { ...(limit !== undefined && { limit }), ...(exhaust && { exhausted: true }) }
      const asked = Object.keys(body).length > 0
      const state = await steer(command, context, (control) =>
        asked ? control.call('control.rateLimit.set', { body }) : control.call('control.rateLimit.get'),
      )
      await context.output.record(state, limitColumns)
    })
  examples(command, [
    'payctl emulator rate-limit',
    'payctl emulator rate-limit --set 10/min',
    'payctl emulator rate-limit --exhaust',
    'payctl emulator rate-limit --set off',
  ])
}
