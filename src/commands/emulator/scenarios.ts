import type { Received } from '../../client/received.ts'
import type { Scenario } from '../../contract/control/registry.ts'
import { detail, field, status } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { withReason } from './reason.ts'
import { controlled, steer } from './steer.ts'

const columns: readonly Column<Received<Scenario>>[] = [
  field('address', ({ address }) => address),
  detail('channel', ({ channel }) => channel),
  detail('currency', ({ currency }) => currency),
  detail('outcome', ({ outcome }) => outcome),
  {
    ...status<Received<Scenario>>('status', (scenario) => scenario.status),
    text: (scenario) =>
      scenario.outcome === 'fee_unknown' ? 'completed: fee_unknown' : withReason(scenario.status ?? '', scenario),
  },
  detail('state_code', ({ state_code }) => state_code),
  {
    ...field<Received<Scenario>>('seconds', ({ after_ms }) => (after_ms ? after_ms / 1000 : after_ms)),
    align: 'right',
  },
  field('name', ({ name }) => name),
  detail('error_message', ({ error_message }) => error_message),
]

export const scenarios: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'List recipients whose payments do not simply complete: the status a payment to them ends in, why, and after how long.',
    )
    .action(async () => {
      const all = await steer(command, context, (control) => control.call('control.scenarios'))
      await context.output.list(all, columns, { data: all, none: 'No such recipients.' })
      context.output.note('Make your own: payctl emulator registry add --phone 71112222 --outcome timeout ...')
    })
  examples(command, ['payctl emulator scenarios', 'payctl emulator scenarios --json'])
}
