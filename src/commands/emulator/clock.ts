import { type Command, InvalidArgumentError } from 'commander'
import { duration, emulatedDuration, instant } from '../../cli/arguments.ts'
import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import type { ControlAnswerOf } from '../../client/received.ts'
import { field, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

type State = ControlAnswerOf<'control.clock.get'>

const columns: readonly Column<State>[] = [
  time('now', ({ now }) => now),
  field('offset_ms', ({ offset_ms }) => offset_ms),
  field('frozen', ({ frozen }) => frozen),
  field('speed', ({ speed }) => speed),
]

const idleColumns: readonly Column<ControlAnswerOf<'control.clock.runUntilIdle'>>[] = [
  ...columns,
  field('idle', ({ idle }) => idle),
  time('next_due_at', ({ next_due_at }) => next_due_at),
]

export const clock: CommandModule = (command, context) => {
  controlled(command)
    .description('Show, move, stop and start the emulator’s clock. All that waits reads it: payments, retries, tokens.')
    .usage('[command]')
    .action(() => print(command, context, (control) => control.call('control.clock.get')))
  examples(command, ['payctl emulator clock', 'payctl emulator clock advance 1h', 'payctl emulator clock freeze'])
  return {
    freeze: { summary: 'Stop the clock; from then on it moves only when it is advanced or set.', load: () => freeze },
    unfreeze: { summary: 'Let the clock run on from where it stands.', load: () => unfreeze },
    advance: {
      summary: 'Move the clock forward. What falls due on the way has happened when this returns.',
      usage: '<duration>',
      load: () => advance,
    },
    set: {
      summary: 'Move the clock forward to a time. What falls due on the way has happened when this returns.',
      usage: '<time>',
      load: () => set,
    },
    at: {
      summary: 'Stop the clock and move it forward to a time, both in one.',
      usage: '<time>',
      load: () => at,
    },
    'run-until-idle': {
      summary: 'Move the clock to each next step that is due, until nothing is.',
      load: () => untilIdle,
    },
    speed: {
      summary: 'Let the clock run faster or slower than real time; 1 is as fast.',
      usage: '<factor>',
      load: () => speed,
    },
  }
}

interface MoveFlags {
  readonly deliveryTimeout?: number
}

/** A verb that moves the clock, and so waits for receivers of webhooks. */
const moving = (verb: Command): Command =>
  controlled(verb).option(
    '--delivery-timeout <duration>',
    'how long a receiver of webhooks may take to answer, in real time (default: as subscribed)',
    duration,
  )

const limitOf = ({ deliveryTimeout }: MoveFlags) =>
  deliveryTimeout === undefined ? {} : { delivery_timeout_ms: Math.min(deliveryTimeout, longestDeliveryTimeout) }

/** Milliseconds; the emulator takes no more, and no subscription has a longer one. */
const longestDeliveryTimeout = 600_000

async function print(verb: Command, context: Context, work: (control: ControlClient) => Promise<State>): Promise<void> {
  await context.output.record(await steer(verb, context, work), columns)
}

const freeze: CommandModule = (command, context) => {
  controlled(command).action(() => print(command, context, (control) => control.call('control.clock.freeze')))
  examples(command, ['payctl emulator clock freeze'])
}

const unfreeze: CommandModule = (command, context) => {
  controlled(command).action(() => print(command, context, (control) => control.call('control.clock.unfreeze')))
  examples(command, ['payctl emulator clock unfreeze'])
}

const advance: CommandModule = (command, context) => {
  moving(command)
    .argument('<duration>', 'how far: 90s, 1h, 30d', emulatedDuration)
    .action((ms: number, flags: MoveFlags) => {
      const body = { ms, ...limitOf(flags) }
      return print(command, context, (control) => control.call('control.clock.advance', { body }))
    })
  examples(command, [
    'payctl emulator clock advance 1h',
    'payctl emulator clock advance 30d --json',
    'payctl emulator clock advance 1h --delivery-timeout 200ms',
  ])
}

/** A verb that moves the clock to a time. */
const movingTo =
  (id: 'control.clock.set' | 'control.clock.at', shown: readonly string[]): CommandModule =>
  (command, context) => {
    moving(command)
      .argument('<time>', zoneWords, instant)
      .action((time: string, flags: MoveFlags) => {
        const body = { time, ...limitOf(flags) }
        return print(command, context, (control) => control.call(id, { body }))
      })
    examples(
      command,
      shown.map((line) => `payctl emulator clock ${line}`),
    )
  }

const set = movingTo('control.clock.set', ['set 2030-01-05T18:00:00Z', 'set 2030-01-05T12:00:00', 'set 2030-01-05'])

const at = movingTo('control.clock.at', ['at 2040-01-31T23:59:59-06:00', 'at 2040-02-01 --json'])

const untilIdle: CommandModule = (command, context) => {
  moving(command)
    .option('--within <duration>', 'how far the clock may go: 90s, 1h, 30d (default: 366d)', emulatedDuration)
    .action(async ({ within: ms, ...flags }: MoveFlags & { readonly within?: number }) => {
      const body = { ...(ms !== undefined && { ms }), ...limitOf(flags) }
      const state = await steer(command, context, (control) => control.call('control.clock.runUntilIdle', { body }))
      await context.output.record(state, idleColumns)
    })
  examples(command, [
    'payctl emulator clock run-until-idle',
    'payctl emulator clock run-until-idle --within 1h --delivery-timeout 200ms',
  ])
}

const speed: CommandModule = (command, context) => {
  controlled(command)
    .argument('<factor>', 'seconds that pass in one second of real time: 60, 0.5, 1', factor)
    .action((speed: number) =>
      print(command, context, (control) => control.call('control.clock.speed', { body: { speed } })),
    )
  examples(command, ['payctl emulator clock speed 60', 'payctl emulator clock speed 1'])
}

function factor(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (speed >= 0.001 && speed <= 100_000) return speed
  throw new InvalidArgumentError('Give a number from 0.001 to 100000.')
}

const zoneWords = 'ISO 8601; without a zone it is Costa Rica’s'
