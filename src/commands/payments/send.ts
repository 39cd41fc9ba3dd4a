import { duration, keyLifeFlag } from '../../cli/arguments.ts'
import type { CommandRecord, Context, Input } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { answer, object } from '../../cli/prints.ts'
import { UsageError } from '../../errors/cli_error.ts'
import type { Payee } from '../../payees/payee.ts'
import { say } from '../../words/text.ts'
import { validationColumns } from './columns.ts'
import { type CompleteOrder, orderOfFlags } from './order_of_flags.ts'
import { paymentFlags } from './payment_flags.ts'

const account = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

const sendFlags = {
  ...paymentFlags,
  '--wait': { about: 'wait until the payment has ended: exit 0 completed, 8 ended otherwise\n9 still in progress' },
  '--wait-timeout <duration>': {
    about: 'time limit of the wait; implies --wait',
    parse: duration,
    default: 60_000,
    defaultText: '60s',
    implies: { wait: true },
  },
  ...keyLifeFlag,
  '-y, --yes': { about: 'do not ask' },
  '--name-unchecked': { about: 'ask even if the holder’s name can’t be compared\nat a terminal only' },
  '--dry-run': { about: 'do everything except send, and print the channel and the fee' },
} as const satisfies CommandRecord['flags']

export type SendFlags = Input<Record<never, never>, typeof sendFlags>

export const send = command({
  summary: 'Send a payment',
  about:
    'Send a payment to an IBAN (PIN) or a phone (SINPE Móvil). At a terminal, payctl asks for missing values, shows payee, ' +
    'amount and fee, and asks before it sends. With --yes it asks nothing, and the service does the remaining checks. ' +
    'After an interruption at any point, payctl payments resume finds out whether the payment was made, before anything is sent again.',
  flags: sendFlags,
  prints: {
    '': object(async () => (await import('../schema/payment_shapes.ts')).sentPayment),
    '--dry-run': answer('payments.validate'),
  },
  examples: [
    'payctl payments send',
    'payctl payments send --to "CR05 0152 0200 1026 2840 66" --amount 1500.25',
    'payctl payments send --from CRC --to 8888-1234 --amount 1500 --description "Lunch on Friday" --wait',
    'payctl payments send --from CRC --to 88881234 --amount 1500.25 --idempotency-key order-17 --yes --json',
  ],
  async run(flags, context) {
    requireAskable(flags, context)
    let isAsked = false
    for (let values: SendFlags = flags; ; ) {
      const complete = await orderOfFlags(values, context, {
        silent: flags.yes,
        need: flags.dryRun ? 'token' : 'payment',
        readsEarly: flags.dryRun || flags.yes || context.interactive,
      })
      isAsked ||= complete.isAsked
      try {
        return await carryOut(complete, values, context)
      } catch (error) {
        if (!isAsked) throw error
        const { correctedFlags } = await import('./ask_again.ts')
        values = await correctedFlags(error, { flags: values, ...complete }, context)
      }
    }
  },
})

async function carryOut({ order, payee, early }: CompleteOrder, flags: SendFlags, context: Context): Promise<void> {
  if (payee && !flags.dryRun) requireVerified(payee, flags.yes, context)
  const { checkOrder, sendOrder } = await import('./send_order.ts')
  await (flags.dryRun ? checkOrder : sendOrder)(order, { flags, early }, context)
}

/** Throws UsageError for `--name-unchecked` if no person is asked: the flag leaves the decision to a person. */
function requireAskable({ nameUnchecked, yes }: SendFlags, { interactive }: Context): void {
  if (!nameUnchecked || (interactive && !yes)) return
  throw new UsageError(
    '--name-unchecked is only for a person at a terminal, whom payctl asks. Nothing was sent.',
    'Leave --name-unchecked out; at a terminal, leave out --yes instead',
  )
}

/**
 * Requires a person at a terminal if the payee's holder is not known: the person sees the name that the service
 * returns.
 */
function requireVerified(payee: Payee, yes: true | undefined, { interactive, output }: Context): void {
  if (payee.holder !== null) return
  if (yes || !interactive) {
    throw new UsageError(
      say`The payee ${payee.name} has not been verified: its holder is not known. Nothing was sent.`,
      {
        kind: 'verify_payee',
        payee: payee.name,
      },
    )
  }
  output.note(say`${payee.name} has not been verified: compare the name that the service gives.`)
}

export const validate = command({
  summary: 'Check a payment and show its fee',
  about:
    'Ask the service to check a payment and return its channel and fee. Sends nothing. At a terminal, payctl asks for missing values.',
  flags: paymentFlags,
  prints: answer('payments.validate'),
  examples: [
    `payctl payments validate --from ${account} --to 8888-1234 --amount 1500.25`,
    `payctl payments validate --from ${account} --to CR05015202001026284066 --amount 10 --json`,
  ],
  async run(flags, context) {
    const { order } = await orderOfFlags(flags, context)
    const client = await context.client()
    const request = { headers: { 'X-Idempotency-Key': order.idempotency_key }, body: order.body }
    const { withBalanceIfLacking } = await import('./lacking_money.ts')
    const validation = await withBalanceIfLacking(client.call('payments.validate', request), order, context)
    await context.output.record(validation, validationColumns)
  },
})
