import { command } from '../../cli/command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { ChaosCount } from '../../contract/control/faults.ts'
import { columnsOf } from '../../output/columns.ts'

const columns = columnsOf<Received<ChaosCount>>('kind', 'fired', 'chances')

export const chaos = command({
  summary: 'Show what went wrong by chance',
  about:
    'Show what has gone wrong in the world by chance, of so many requests and deliveries that it could have happened to. ' +
    'payctl emulate --chaos and payctl emulator worlds create --chaos give a world its seed.',
  flags: controlFlags,
  prints: answer('control.chaos'),
  examples: ['payctl emulator chaos', 'payctl emulator chaos --world shop-7 --json'],
  async run(input, context) {
    const state = await steer(input, context, (control) => control.call('control.chaos'))
    const none = 'Nothing goes wrong by chance in this world.'
    await context.output.list(state.counts, columns, { none, data: state })
    if (state.seed !== null) context.output.note(`Seed ${state.seed}, profile ${state.profile}`)
  },
})
