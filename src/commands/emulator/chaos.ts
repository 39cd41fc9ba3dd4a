import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { ChaosCount } from '../../contract/control/chaos.ts'
import { field } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

const columns: readonly Column<Received<ChaosCount>>[] = [
  field('kind', ({ kind }) => kind),
  field('fired', ({ fired }) => fired),
  field('chances', ({ chances }) => chances),
]

export const chaos: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Show what has gone wrong in the world by chance, of so many requests and deliveries that it could have happened to. ' +
        'payctl emulate --chaos and payctl emulator worlds create --chaos give a world its seed.',
    )
    .action(async () => {
      const state = await steer(command, context, (control) => control.call('control.chaos'))
      const none = 'Nothing goes wrong by chance in this world.'
      await context.output.list(state.counts, columns, { none, data: state })
      if (state.seed !== null) context.output.note(`Seed ${state.seed}, profile ${state.profile}`)
    })
  examples(command, ['payctl emulator chaos', 'payctl emulator chaos --world shop-7 --json'])
}
