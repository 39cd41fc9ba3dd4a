import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { stateColumns } from './state_columns.ts'
import { controlled, steer } from './steer.ts'

export const status: CommandModule = (command, context) => {
  controlled(command)
    .description('Show what the emulator holds, in numbers, and whether its books balance.')
    .action(async () => {
      const state = await steer(command, context, (control) => control.call('control.state'))
      await context.output.record(state, stateColumns)
    })
  examples(command, ['payctl emulator status', 'payctl emulator status --json'])
}
