import { Argument } from 'commander'
import type { ControlAnswerOf } from '../../client/received.ts'
import type { Channel, RailState } from '../../contract/schemas/payment.ts'
import { status } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { controlled, steer } from './steer.ts'

const columns: readonly Column<ControlAnswerOf<'control.rails.get'>>[] = [
  status('pin', ({ pin }) => pin),
  status('sinpe_movil', ({ sinpe_movil }) => sinpe_movil),
]

export const rail: CommandModule = (command, context) => {
  controlled(command)
    .description('Show which rails are online, put one out of order, or back.')
    .addArgument(new Argument('[rail]', 'the rail').choices(['pin', 'sinpe_movil']))
    .addArgument(new Argument('[state]', 'what becomes of it').choices(['online', 'offline']))
    .action(async (name?: Channel, state?: RailState) => {
      const rails = await steer(command, context, (control) =>
        name !== undefined && state !== undefined
          ? control.call('control.rails.set', { body: { [name]: state } })
          : control.call('control.rails.get'),
      )
      await context.output.record(rails, columns)
    })
  examples(command, [
    'payctl emulator rail',
    'payctl emulator rail pin offline',
    'payctl emulator rail sinpe_movil online',
  ])
}
