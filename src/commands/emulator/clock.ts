import { type Command, InvalidArgumentError } from 'commander'
import type { ControlClient } from '../../client/control_client.ts'
import type { ControlAnswerOf } from '../../client/received.ts'
import { field, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { emulatedDuration } from '../arguments.ts'
import type { CommandModule, Context } from '../context.ts'
import { examples } from '../examples.ts'
import { controlled, steer } from './steer.ts'

type State = ControlAnswerOf<'control.clock.get'>

const columns: readonly Column<State>[] = [
  time('now', ({ now }) => now),
  field('offset_ms', ({ offset_ms }) => offset_ms),
  field('frozen', ({ frozen }) => frozen),
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
  }
}

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
  controlled(command)
    .argument('<duration>', 'how far: 90s, 1h, 30d', emulatedDuration)
    .action((ms: number) =>
      print(command, context, (control) => control.call('control.clock.advance', { body: { ms } })),
    )
  examples(command, ['payctl emulator clock advance 1h', 'payctl emulator clock advance 30d --json'])
}

const set: CommandModule = (command, context) => {
  controlled(command)
    .argument('<time>', 'ISO 8601; without a zone it is Costa Rica’s', instant)
    .action((at: string) =>
      print(command, context, (control) => control.call('control.clock.set', { body: { time: at } })),
    )
  examples(command, [
    'payctl emulator clock set 2030-01-05T18:00:00Z',
    'payctl emulator clock set 2030-01-05T12:00:00',
    'payctl emulator clock set 2030-01-05',
  ])
}

const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/

/** Costa Rica has one offset all year. */
function instant(text: string): string {
  const [, date, time = '00:00', zone = '-06:00'] = form.exec(text) ?? []
  const whole = `${date}T${time}${zone}`
  if (date !== undefined && !Number.isNaN(Date.parse(whole))) return whole
  throw new InvalidArgumentError('Give a time like 2030-01-05T18:00:00Z.')
}
