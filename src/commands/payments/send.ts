import { Option } from 'commander'
import { duration, keyLifeOption } from '../../cli/arguments.ts'
import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { validationColumns } from './columns.ts'
import { completeFlags, type GivenFlags, parseOrder, paymentFlags, type SendSettings } from './payment_flags.ts'

export const send: CommandModule = (command, context) => {
  paymentFlags(command)
    .description(
      'Send a payment to an IBAN (PIN) or a phone (SINPE Móvil). At a terminal it asks for what is missing, shows payee, ' +
        'amount and fee, and asks before it sends; with --yes it asks nothing and leaves all checks to the service. ' +
        'After a cut at any point payctl payments resume finds out whether it was paid, before anything is sent again.',
    )
    .option('--wait', 'until it has ended: exit 0 completed, 8 otherwise\n9 still in progress')
    .addOption(
      new Option('--wait-timeout <duration>', 'how long to wait; implies --wait')
        .argParser(duration)
        .default(60_000, '60s')
        .implies({ wait: true }),
    )
    .addOption(keyLifeOption())
    .option('-y, --yes', 'do not ask')
    .option('--name-unchecked', 'ask even if the holder’s name can’t be compared\nat a terminal only')
    .option('--dry-run', 'do all but send, and print the channel and the fee')
    .action(async (given: GivenFlags & SendSettings) => {
      requireAskable(given, context)
      const flags = await completeFlags(given, context, {
        silent: given.yes,
        need: given.dryRun ? 'token' : 'payment',
      })
      if (!flags.dryRun) requireVerified(flags, context)
      const order = parseOrder(flags)
      const { rehearse, sendOrder } = await import('./send_order.ts')
      await (flags.dryRun ? rehearse(order, flags, context) : sendOrder(order, flags, context))
    })
  examples(command, [
    'payctl payments send',
    'payctl payments send --to "CR05 0152 0200 1026 2840 66" --amount 1500.25',
    'payctl payments send --from CRC --to 8888-1234 --amount 1500 --description "Lunch on Friday" --wait',
    'payctl payments send --from CRC --to 88881234 --amount 1500.25 --idempotency-key order-17 --yes --json',
  ])
}

/** `--name-unchecked` leaves the decision to a person. */
function requireAskable({ nameUnchecked, yes }: SendSettings, { interactive }: Context): void {
  if (!nameUnchecked || (interactive && !yes)) return
  throw new UsageError(
    '--name-unchecked is for a person at a terminal, who is asked. Nothing was sent.',
    'Leave it out, and --yes too if you are at a terminal',
  )
}

/** A payee whose holder is not known yet is paid by a person, who sees the name. */
function requireVerified({ payee, yes }: GivenFlags & SendSettings, { interactive, output }: Context): void {
  if (!payee || payee.holder !== null) return
  if (yes || !interactive) {
    throw new UsageError(
      `The payee ${payee.name} has not been verified: nobody knows who holds it. Nothing was sent.`,
      {
        kind: 'verify_payee',
        payee: payee.name,
      },
    )
  }
  output.note(`${payee.name} has not been verified: compare the name that the service gives.`)
}

export const validate: CommandModule = (command, context) => {
  paymentFlags(command)
    .description(
      'Have the service check a payment and tell its channel and fee. Sends nothing. At a terminal it asks for what is missing.',
    )
    .action(async (flags: GivenFlags) => {
      const order = parseOrder(await completeFlags(flags, context))
      const client = await context.client()
      const request = { headers: { 'X-Idempotency-Key': order.key }, body: order.body }
      const { withBalanceIfLacking } = await import('./lacking_money.ts')
      const validation = await withBalanceIfLacking(client.call('payments.validate', request), order, context)
      await context.output.record(validation, validationColumns)
    })
  examples(command, [
    `payctl payments validate --from ${account} --to 8888-1234 --amount 1500.25`,
    `payctl payments validate --from ${account} --to CR05015202001026284066 --amount 10 --json`,
  ])
}

const account = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
