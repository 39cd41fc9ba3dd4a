import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { stateColumns } from './state_columns.ts'
import { controlled, steer } from './steer.ts'

export const reset: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Put the emulator back to its seed: accounts, payments, users, tokens, subscriptions, settings, clock. It does not ask.',
    )
    .action(async () => {
      const state = await steer(command, context, (control) => control.call('control.reset'))
      await context.output.record(state, stateColumns)
    })
  examples(command, ['payctl emulator reset', 'payctl emulator reset --quiet --json'])
}
