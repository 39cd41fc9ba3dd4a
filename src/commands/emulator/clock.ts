import { InvalidArgumentError } from 'commander'
import { duration, emulatedDuration, instant } from '../../cli/arguments.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { columnsOf, time } from '../../output/columns.ts'

const columns = columnsOf<RowOf<'control.clock.get'>>(time('now'), 'offset_ms', 'frozen', 'speed')

export const clock = endpointCommand('control.clock.get', {
  summary: 'Show, move, stop and start the emulator’s clock',
  about: 'Show, move, stop and start the emulator’s clock. Payments, retries and tokens follow this clock.',
  columns,
  examples: ['payctl emulator clock', 'payctl emulator clock advance 1h', 'payctl emulator clock freeze'],
  commands: {
    freeze: () => freeze,
    unfreeze: () => unfreeze,
    advance: () => advance,
    set: () => set,
    at: () => at,
    'run-until-idle': () => untilIdle,
    speed: () => speed,
  },
})

const freeze = endpointCommand('control.clock.freeze', {
  summary: 'Stop the clock; from then on it moves only when it is advanced or set.',
  columns,
  examples: ['payctl emulator clock freeze'],
})

const unfreeze = endpointCommand('control.clock.unfreeze', {
  summary: 'Let the clock continue from its current time.',
  columns,
  examples: ['payctl emulator clock unfreeze'],
})

/** Longest time limit that the emulator accepts for a delivery, in milliseconds. */
const longestDeliveryTimeout = 600_000

/** Flag of commands that move the clock: the time limit of a move's wait for each webhook receiver. */
const movingFlags = {
  '--delivery-timeout <duration>': {
    about: 'time limit for each answer of a webhook receiver, in real time (default: the subscription’s)',
    parse: (text: string) => Math.min(duration(text), longestDeliveryTimeout),
    sends: 'delivery_timeout_ms',
  },
} as const

const advance = endpointCommand('control.clock.advance', {
  summary: 'Move the clock forward. Returns when everything that fell due has happened.',
  args: { '<duration>': { about: 'duration of the move: 90s, 1h, 30d', parse: emulatedDuration, sends: 'ms' } },
  flags: movingFlags,
  columns,
  examples: [
    'payctl emulator clock advance 1h',
    'payctl emulator clock advance 30d --json',
    'payctl emulator clock advance 1h --delivery-timeout 200ms',
  ],
})

const timeArgument = { '<time>': { about: 'ISO 8601; without a zone, Costa Rica time', parse: instant } } as const

const set = endpointCommand('control.clock.set', {
  summary: 'Move the clock forward to a time. Returns when everything that fell due has happened.',
  args: timeArgument,
  flags: movingFlags,
  columns,
  examples: [
    'payctl emulator clock set 2030-01-05T18:00:00Z',
    'payctl emulator clock set 2030-01-05T12:00:00',
    'payctl emulator clock set 2030-01-05',
  ],
})

const at = endpointCommand('control.clock.at', {
  summary: 'Stop the clock and move it forward to a time in one step.',
  args: timeArgument,
  flags: movingFlags,
  columns,
  examples: ['payctl emulator clock at 2040-01-31T23:59:59-06:00', 'payctl emulator clock at 2040-02-01 --json'],
})

const untilIdle = endpointCommand('control.clock.runUntilIdle', {
  summary: 'Move the clock to each next due step, until nothing is due.',
  flags: {
    ...movingFlags,
    '--within <duration>': {
      about: 'largest move of the clock: 90s, 1h, 30d (default: 366d)',
      parse: emulatedDuration,
      sends: 'ms',
    },
  },
  columns: columnsOf<RowOf<'control.clock.runUntilIdle'>>(...columns, 'idle', time('next_due_at')),
  examples: [
    'payctl emulator clock run-until-idle',
    'payctl emulator clock run-until-idle --within 1h --delivery-timeout 200ms',
  ],
})

const speed = endpointCommand('control.clock.speed', {
  summary: 'Let the clock run faster or slower than real time; 1 is real time.',
  args: {
    '<factor>': { about: 'emulated seconds per second of real time: 60, 0.5, 1', parse: factor, sends: 'speed' },
  },
  columns,
  examples: ['payctl emulator clock speed 60', 'payctl emulator clock speed 1'],
})

function factor(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (speed >= 0.001 && speed <= 100_000) return speed
  throw new InvalidArgumentError('Give a number from 0.001 to 100000.')
}
