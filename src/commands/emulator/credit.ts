import { Option } from 'commander'
import { documentNumber, emulatedDuration, instant } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import { normalizeIban } from '../../contract/iban.ts'
import { isPhone, normalizePhone } from '../../contract/phone.ts'
import { UsageError } from '../../errors/cli_error.ts'
import type { DecimalMark } from '../../values/amount.ts'
import { looksLikeIban } from '../../values/iban.ts'
import { paymentLayout } from '../payments/columns.ts'
import { amountOf, decimalOption } from '../payments/payment_flags.ts'
import { cancel, list, scheduledColumns } from './scheduled_credits.ts'
import { worldId } from './world_id.ts'

interface Flags {
  readonly to?: string
  readonly amount?: string
  readonly amountMinor?: string
  readonly decimal?: DecimalMark
  readonly fromIban?: string
  readonly fromPhone?: string
  readonly name?: string
  readonly document?: string
  readonly description?: string
  readonly reference?: string
  readonly after?: number
  readonly at?: string
}

export const credit: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Let money arrive from another bank, now or later: the account is credited, the history has it, and ' +
        'transaction.received is sent.',
    )
    .usage('[options] [command]')
    .option('--to <iban|phone|account>', 'account of the emulator; an id may be shortened to its end')
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
    .option('--reference <25 digits>', 'SINPE reference, which no other payment has (default: generated)')
    .option('--after <duration>', 'not now, but in so long by the emulator’s clock: 90s, 2h', emulatedDuration)
    .addOption(
      new Option(
        '--at <time>',
        'not now, but then by the emulator’s clock\nISO 8601; without a zone it is Costa Rica’s',
      )
        .argParser(instant)
        .conflicts('after'),
    )
    .action(async (flags: Flags) => {
      const { to, fromIban, fromPhone, name, document, description, reference, after, at } = flags
      if (to === undefined) throw new UsageError('The account is missing.', 'Add --to with its phone, IBAN or id')
      const body = {
        amount: amountOf(flags),
        ...(fromIban !== undefined && { from_iban: fromIban }),
        ...(fromPhone !== undefined && { from_phone: fromPhone }),
        ...(name !== undefined && { name }),
        ...(document !== undefined && { document_number: document }),
        ...(description !== undefined && { description }),
        ...(reference !== undefined && { sinpe_reference: reference }),
      }
      await steer(command, context, async (control) => {
        const account = isPartOfId(to) ? await worldId({ text: to, kind: 'account' }, control, context) : to
        const credit = { ...body, to: account }
        if (after === undefined && at === undefined) {
          await context.output.record(await control.call('control.credits.create', { body: credit }), paymentLayout)
          return
        }
        const scheduled = { ...credit, ...(at === undefined ? { after_ms: after } : { at }) }
        const answer = await control.call('control.credits.schedule', { body: scheduled })
        await context.output.record(answer, scheduledColumns)
      })
    })
  examples(command, [
    'payctl emulator credit --to 8800-1234 --amount 1500.25',
    "payctl emulator credit --to 'CR76 0999 1000 0000 0000 01' --amount 20 --from-iban CR05015202001026284066",
    'payctl emulator credit --to 8800-1234 --amount 500 --after 2h',
    'payctl emulator credit --to 88001234 --amount 500 --from-phone 8700-0001 --name "Ana Vargas" --json',
  ])
  return {
    list: { summary: 'List credits scheduled with --after or --at.', load: () => list },
    cancel: {
      summary: 'Cancel a credit that is still to come. Prints what it was.',
      usage: '<credit>',
      load: () => cancel,
    },
  }
}

/** What is no phone and no IBAN either. */
const isPartOfId = (text: string): boolean =>
  /^(\.{2,}|…)?[0-9a-f-]{4,35}$/i.test(text) && !isPhone(normalizePhone(text)) && !looksLikeIban(text)
