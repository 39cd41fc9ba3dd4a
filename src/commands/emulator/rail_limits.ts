import { Option } from 'commander'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { ControlAnswerOf } from '../../client/received.ts'
import type { LimitsAnswer } from '../../contract/control/limits.ts'
import { decimal } from '../../money/decimal.ts'
import { field } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { amountOrZero } from './settings.ts'

const columns: readonly Column<ControlAnswerOf<'control.limits.get'>>[] = [
  field('payment', ({ sinpe_movil }) => decimal(sinpe_movil.payment) || 'off'),
  field('day', ({ sinpe_movil }) => decimal(sinpe_movil.day) || 'off'),
  field('answer', ({ answer }) => answer),
]

type Limit = number | 'off'

interface Flags {
  readonly payment?: Limit
  readonly day?: Limit
  readonly limitsAnswer?: LimitsAnswer
}

export const limits: CommandModule = (command, context) => {
  controlled(command)
    .description('Show or set how much each account may send over SINPE Móvil. Days are those of Costa Rica.')
    .option('--payment <amount|off>', 'largest amount of a payment, in CRC', limit)
    .option('--day <amount|off>', 'largest sum of a day, in CRC', limit)
    .addOption(
      new Option('--limits-answer <how>', 'refuse: 422; late: the payment fails with limit_exceeded').choices([
        'refuse',
        'late',
      ]),
    )
    .action(async ({ payment, day, limitsAnswer: answer }: Flags) => {
      const sinpe_movil = {
        ...(payment !== undefined && { payment: minorOf(payment) }),
        ...(day !== undefined && { day: minorOf(day) }),
      }
      const asked = [payment, day, answer].some((value) => value !== undefined)
      const shown = await steer(command, context, (control) =>
        asked
          ? control.call('control.limits.set', { body: { sinpe_movil, answer } })
          : control.call('control.limits.get'),
      )
      await context.output.record(shown, columns)
    })
  examples(command, [
    'payctl emulator limits',
    'payctl emulator limits --payment 100000 --day 200000',
    'payctl emulator limits --day 200000 --limits-answer late',
    'payctl emulator limits --payment off --day off',
  ])
}

const limit = (text: string): Limit => (text === 'off' ? text : amountOrZero(text))

const minorOf = (value: Limit): number | null => (value === 'off' ? null : value)
