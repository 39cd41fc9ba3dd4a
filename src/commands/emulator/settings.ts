import { InvalidArgumentError } from 'commander'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import type { Fee } from '../../contract/control/settings.ts'
import { decimal } from '../../contract/money.ts'
import { channels, railStates } from '../../contract/payment_names.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { columnsOf, field, status, time } from '../../output/columns.ts'
import { parseAmount } from '../../values/amount.ts'
import { maintenanceWindow, rateLimit as requestRate } from '../emulate/values.ts'

// Settings of a world. Without a new value, a command shows the settings.

type Rails = RowOf<'control.rails.get'>

export const rail = endpointCommand('control.rails.get', {
  summary: 'Show the rails, or take one offline or online',
  about: 'Show the payment rails, or take one offline or online, now or by timetable.',
  args: {
    '[rail]': { about: 'the rail', choices: channels },
    '[state]': { about: 'its new state', choices: railStates },
  },
  flags: {
    '--under-way <result>': {
      about: 'effect on payments in progress: complete, hang until online, or time out',
      choices: ['complete', 'hang', 'timeout'],
    },
    '--maintenance <window|off>': {
      about:
        'timetable of maintenance, in Costa Rica’s time: 02:00-04:00\nor "sun 22:00-23:30"; repeatable, replaces the timetable',
      parse: addWindow,
    },
  },
  changes: 'control.rails.set',
  members({ rail, state, underWay, maintenance }) {
    if (rail !== undefined) {
      return {
        ...(state && { [rail]: state }),
        ...(underWay && { under_way: { [rail]: underWay } }),
        ...(maintenance && { maintenance: { [rail]: maintenance } }),
      }
    }
    if (underWay || maintenance) throw new UsageError(`Name the rail: ${channels.join(' or ')}.`)
    return {}
  },
  columns: columnsOf<Rails>(
    status('pin'),
    status('sinpe_movil'),
    field('pin_under_way', ({ under_way }: Rails) => under_way.pin),
    field('sinpe_movil_under_way', ({ under_way }: Rails) => under_way.sinpe_movil),
    field('pin_maintenance', ({ maintenance }: Rails) => maintenance.pin.join(', ')),
    field('sinpe_movil_maintenance', ({ maintenance }: Rails) => maintenance.sinpe_movil.join(', ')),
    time('pin_maintenance_until', ({ maintenance_until }: Rails) => maintenance_until.pin),
    time('sinpe_movil_maintenance_until', ({ maintenance_until }: Rails) => maintenance_until.sinpe_movil),
  ),
  examples: [
    'payctl emulator rail',
    'payctl emulator rail pin offline',
    'payctl emulator rail pin offline --under-way hang',
    'payctl emulator rail sinpe_movil online',
    'payctl emulator rail pin --maintenance 02:00-04:00 --under-way hang',
    'payctl emulator rail pin --maintenance "sun 22:00-23:30"',
    'payctl emulator rail pin --maintenance off',
  ],
})

/** Adds a window to the timetable; `off` empties the timetable. */
function addWindow(text: string, before: readonly string[] = []): readonly string[] {
  return text === 'off' ? [] : [...before, maintenanceWindow(text)]
}

type Fees = RowOf<'control.fees.get'>

export const fees = endpointCommand('control.fees.get', {
  summary: 'Show or set the fees of payments',
  about: 'Show or set the fees of payments, in major units of the currency. Payments in progress keep their fee.',
  flags: {
    '--pin <fee>': { about: 'fee for payments by PIN in CRC: 2.50, or by amount 100000:0,2.50', parse: fee },
    '--pin-usd <fee>': { about: 'fee for payments by PIN in USD', parse: fee },
    '--sinpe-movil <fee>': { about: 'fee for payments by SINPE Móvil', parse: fee },
    '--own-accounts <how>': {
      about: 'fee between accounts of one user: the usual fee, or free',
      choices: ['same', 'free'],
    },
  },
  changes: 'control.fees.set',
  columns: columnsOf<Fees>(
    field('pin', ({ pin }: Fees) => feeText(pin)),
    field('pin_usd', ({ pin_usd }: Fees) => feeText(pin_usd)),
    field('sinpe_movil', ({ sinpe_movil }: Fees) => feeText(sinpe_movil)),
    'own_accounts',
  ),
  examples: [
    'payctl emulator fees',
    'payctl emulator fees --pin 2.50 --pin-usd 0.30 --sinpe-movil 0',
    'payctl emulator fees --sinpe-movil 100000:0,500000:1.50,3.00 --own-accounts free',
  ],
})

/** Fee as people type it: `2.50`, or with bands `100000.00:0.00,2.50`. */
function feeText(fee: Fees['pin']): string {
  if (!Array.isArray(fee)) return decimal(fee)
  const bands = fee.map((band) => `${band.up_to === null ? '' : `${decimal(band.up_to)}:`}${decimal(band.fee)}`)
  return bands.join(',')
}

/** Parses a fee in major units. With bands, the largest amount of each band except the last comes before a colon. */
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

/** Converts major units to minor units. */
export function amountOrZero(text: string): number {
  if (/^0+(\.0{1,2})?$/.test(text)) return 0
  const { minor, currency } = parseAmount(text)
  if (currency === undefined) return minor
  throw new InvalidArgumentError('Give an amount like 2.50, or 0.')
}

type Limits = RowOf<'control.limits.get'>

export const limits = endpointCommand('control.limits.get', {
  summary: 'Show or set limits for an account’s payments',
  about: 'Show or set limits for each account’s payments by SINPE Móvil. A day begins at midnight in Costa Rica.',
  flags: {
    '--payment <amount|off>': { about: 'largest amount of one payment, in CRC', parse: limit },
    '--day <amount|off>': { about: 'largest sum of one day’s payments, in CRC', parse: limit },
    '--limits-answer <how>': {
      about: 'refuse: answer 422; late: accept, then fail with limit_exceeded',
      choices: ['refuse', 'late'],
    },
  },
  changes: 'control.limits.set',
  members: ({ payment, day, limitsAnswer }) => ({
    sinpe_movil:
      payment === undefined && day === undefined
        ? undefined
        : { payment: numberOrNull(payment), day: numberOrNull(day) },
    answer: limitsAnswer,
  }),
  columns: columnsOf<Limits>(
    field('payment', ({ sinpe_movil }: Limits) => decimal(sinpe_movil.payment) || 'off'),
    field('day', ({ sinpe_movil }: Limits) => decimal(sinpe_movil.day) || 'off'),
    'answer',
  ),
  examples: [
    'payctl emulator limits',
    'payctl emulator limits --payment 100000 --day 200000',
    'payctl emulator limits --day 200000 --limits-answer late',
    'payctl emulator limits --payment off --day off',
  ],
})

/** Parses a limit; returns minor units, or `off` for no limit. */
function limit(text: string): number | 'off' {
  return text === 'off' ? text : amountOrZero(text)
}

const numberOrNull = (value: number | 'off' | 'auto' | undefined): number | null | undefined =>
  typeof value === 'string' ? null : value

type Rates = RowOf<'control.fx.get'>

export const fx = endpointCommand('control.fx.get', {
  summary: 'Show or set exchange rates, or take them offline',
  about: 'Show or set exchange rates (CRC per USD), or take them offline or online.',
  flags: {
    '--bid <rate>': { about: 'upstream rate for buying dollars; auto: the rate moves by itself', parse: rate },
    '--ask <rate>': { about: 'upstream rate for selling dollars; auto: the rate moves by itself', parse: rate },
    '--spread <share>': {
      about: 'the service’s margin on each side: 0.004 is 0.4 %',
      parse: decimalNumber,
    },
    '--offline': { about: 'answer 503 for rates' },
    '--online': { about: 'answer with rates', conflicts: 'offline' },
  },
  changes: 'control.fx.set',
  members: ({ bid, ask, spread, offline, online }) => ({
    bid: numberOrNull(bid),
    ask: numberOrNull(ask),
    spread,
    offline: offline ?? (online ? false : undefined),
  }),
  columns: columnsOf<Rates>(
    status('status', ({ offline }: Rates) => (offline ? 'offline' : 'online')),
    field('bid', ({ service }: Rates) => service.bid),
    field('ask', ({ service }: Rates) => service.ask),
    field('upstream_bid', ({ upstream }: Rates) => upstream.bid),
    field('upstream_ask', ({ upstream }: Rates) => upstream.ask),
    'spread',
    field('fixed_bid', ({ bid }: Rates) => bid !== null),
    field('fixed_ask', ({ ask }: Rates) => ask !== null),
  ),
  examples: [
    'payctl emulator fx',
    'payctl emulator fx --bid 500 --ask 510 --spread 0.004',
    'payctl emulator fx --offline',
    'payctl emulator fx --online --bid auto --ask auto',
  ],
})

function rate(text: string): number | 'auto' {
  return text === 'auto' ? text : decimalNumber(text)
}

function decimalNumber(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a number like 505.25.')
}

type RateLimit = RowOf<'control.rateLimit.get'>

export const rateLimit = endpointCommand('control.rateLimit.get', {
  summary: 'Show or set the rate limit, or use it up',
  about: 'Show or set the limit of requests per minute for each client and endpoint, or use it up for all clients.',
  flags: {
    '--set <n/min|off>': { about: 'requests per minute', parse: requestRate },
    '--exhaust': { about: 'answer every request with 429 until the current minute of the emulator’s clock ends' },
  },
  changes: 'control.rateLimit.set',
  members: ({ set, exhaust }) => ({ limit: numberOrNull(set), exhausted: exhaust }),
  columns: columnsOf<RateLimit>(
    field('limit', ({ limit }: RateLimit) => limit ?? 'off'),
    'exhausted',
    time('resets_at'),
  ),
  examples: [
    'payctl emulator rate-limit',
    'payctl emulator rate-limit --set 10/min',
    'payctl emulator rate-limit --exhaust',
    'payctl emulator rate-limit --set off',
  ],
})
