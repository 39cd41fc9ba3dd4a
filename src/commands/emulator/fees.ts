import { InvalidArgumentError } from 'commander'
import type { ControlAnswerOf } from '../../client/received.ts'
import { parseAmount } from '../../money/amount.ts'
import { decimal } from '../../money/decimal.ts'
import { field } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { controlled, steer } from './steer.ts'

const columns: readonly Column<ControlAnswerOf<'control.fees.get'>>[] = [
  field('pin', ({ pin }) => decimal(pin)),
  field('sinpe_movil', ({ sinpe_movil }) => decimal(sinpe_movil)),
]

interface Flags {
  readonly pin?: number
  readonly sinpeMovil?: number
}

export const fees: CommandModule = (command, context) => {
  controlled(command)
    .description('Show or set what a payment costs, in major units of its currency. Payments under way keep their fee.')
    .option('--pin <amount>', 'fee over PIN', fee)
    .option('--sinpe-movil <amount>', 'fee over SINPE Móvil', fee)
    .action(async ({ pin, sinpeMovil }: Flags) => {
      const shown = await steer(command, context, (control) =>
        pin === undefined && sinpeMovil === undefined
          ? control.call('control.fees.get')
          : control.call('control.fees.set', { body: { pin, sinpe_movil: sinpeMovil } }),
      )
      await context.output.record(shown, columns)
    })
  examples(command, ['payctl emulator fees', 'payctl emulator fees --pin 2.50 --sinpe-movil 0'])
}

/** Major units to minor ones; free is possible. */
function fee(text: string): number {
  if (/^0+(\.0{1,2})?$/.test(text)) return 0
  const parsed = parseAmount(text)
  if ('minor' in parsed) return parsed.minor
  throw new InvalidArgumentError('Give an amount like 2.50, or 0.')
}
