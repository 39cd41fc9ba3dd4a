import { Option } from 'commander'
import { documentNumber } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import { normalizeIban } from '../../contract/iban.ts'
import { isPhone, normalizePhone } from '../../contract/phone.ts'
import type { DecimalMark } from '../../values/amount.ts'
import { looksLikeIban } from '../../values/iban.ts'
import { paymentLayout } from '../payments/columns.ts'
import { amountOf, decimalOption } from '../payments/payment_flags.ts'
import { worldId } from './world_id.ts'

interface Flags {
  readonly to: string
  readonly amount?: string
  readonly amountMinor?: string
  readonly decimal?: DecimalMark
  readonly fromIban?: string
  readonly fromPhone?: string
  readonly name?: string
  readonly document?: string
  readonly description?: string
}

export const credit: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Let money arrive from another bank: the account is credited, the history has it, and transaction.received is sent.',
    )
    .requiredOption('--to <iban|phone|account>', 'account of the emulator; an id may be shortened to its end')
    .option('--amount <amount>', 'in major units of the account’s currency: 1500.25 or 1.500,25')
    .addOption(decimalOption())
    .option('--amount-minor <integer>', 'the same in minor units: 150025')
    .option('--from-iban <iban>', 'comes over PIN from here', normalizeIban)
    .addOption(
      new Option('--from-phone <phone>', 'comes over SINPE Móvil from here')
        .argParser(normalizePhone)
        .conflicts('fromIban'),
    )
    .option('--name <name>', 'of the sender (default: the registry’s, or made up)')
    .option('--document <number>', 'of the sender (default: the registry’s, or made up)', documentNumber)
    .option('--description <text>', 'what the sender wrote')
    .action(async (flags: Flags) => {
      const { to, fromIban, fromPhone, name, document, description } = flags
      const body = {
        amount: amountOf(flags),
        ...(fromIban !== undefined && { from_iban: fromIban }),
        ...(fromPhone !== undefined && { from_phone: fromPhone }),
        ...(name !== undefined && { name }),
        ...(document !== undefined && { document_number: document }),
        ...(description !== undefined && { description }),
      }
      const payment = await steer(command, context, async (control) => {
        const account = isPartOfId(to) ? await worldId({ text: to, kind: 'account' }, control, context) : to
        return control.call('control.credits.create', { body: { ...body, to: account } })
      })
      await context.output.record(payment, paymentLayout)
    })
  examples(command, [
    'payctl emulator credit --to 8800-1234 --amount 1500.25',
    "payctl emulator credit --to 'CR76 0999 1000 0000 0000 01' --amount 20 --from-iban CR05015202001026284066",
    'payctl emulator credit --to 88001234 --amount 500 --from-phone 8700-0001 --name "Ana Vargas" --json',
  ])
}

/** What is no phone and no IBAN either. */
const isPartOfId = (text: string): boolean =>
  /^(\.{2,}|…)?[0-9a-f-]{4,35}$/i.test(text) && !isPhone(normalizePhone(text)) && !looksLikeIban(text)
