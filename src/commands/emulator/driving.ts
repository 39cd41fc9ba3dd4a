import { Argument, Option } from 'commander'
import { emulatedDuration } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import { AccountStatus } from '../../contract/schemas/account.ts'
import { PaymentStatus } from '../../contract/schemas/payment.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { accountColumns } from '../accounts.ts'
import { paymentLayout } from '../payments/columns.ts'
import { amountOrZero } from './settings.ts'
import { worldId } from './world_id.ts'

interface PaymentFlags {
  readonly reason?: string
  readonly error?: string
  readonly after?: number
}

export const payment: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Take a payment to a status that it can reach, over the steps between. Money moves and events are sent as if it ' +
        'got there by itself. A completed payment can be returned: its payer gets a credit.',
    )
    .argument('<payment>', 'its id, a part of it, or last')
    .addArgument(
      new Argument('<status>', 'where to, or return').choices([
        ...PaymentStatus.enum.filter((status) => status !== 'pending'),
        'return',
      ]),
    )
    .option('--reason <code>', 'why it failed, in any words of the service: account_closed (default: rejected)')
    .option('--error <text>', 'the same for people (default: the usual text of the code)')
    .option('--after <duration>', 'not now, but in so long by the emulator’s clock: 90s, 2h', emulatedDuration)
    .action(async (text: string, to: PaymentStatus | 'return', { reason, error, after }: PaymentFlags) => {
      if (to === 'return' && [reason, error, after].some((value) => value !== undefined)) {
        throw new UsageError('A return happens at once and has no reason: leave --reason, --error and --after out.')
      }
      const params = (id: string) => ({ params: { id } })
      const body = to !== 'return' && { to, state_code: reason, error, ...(after && { after_ms: after }) }
      const moved = await steer(command, context, async (control) => {
        const id = await worldId({ text, kind: 'payment' }, control, context)
        return body
          ? control.call('control.payments.move', { ...params(id), body })
          : control.call('control.payments.return', params(id))
      })
      await context.output.record(moved, paymentLayout)
    })
  examples(command, [
    'payctl emulator payment 3f2504e0-4f89-41d3-9a0c-0305e82c3301 completed',
    'payctl emulator payment 88f6b failed --reason account_closed',
    'payctl emulator payment 88f6b failed --error "Account closed"',
    'payctl emulator payment last completed --after 2h',
    'payctl emulator payment last return',
  ])
}

interface AccountFlags {
  readonly status?: AccountStatus
  readonly balance?: number
}

export const account: CommandModule = (command, context) => {
  controlled(command)
    .description('Show an account of any user, or set its status or what it can spend.')
    .argument('<account>', 'its id, its IBAN, or the end of one of them')
    .addOption(
      new Option('--status <status>', 'payments from and to others than active ones fail').choices(AccountStatus.enum),
    )
    .option('--balance <amount>', 'in major units of its currency: 1500.25, or 0', amountOrZero)
    .action(async (text: string, { status, balance }: AccountFlags) => {
      const shown = await steer(command, context, async (control) => {
        const params = { id: await worldId({ text, kind: 'account' }, control, context) }
        return status === undefined && balance === undefined
          ? control.call('control.accounts.get', { params })
          : control.call('control.accounts.set', { params, body: { status, balance } })
      })
      await context.output.record(shown, accountColumns)
    })
  examples(command, [
    'payctl emulator account 01900000-0000-7000-8000-0000000000c1',
    'payctl emulator account ...00c1 --status inactive',
    'payctl emulator account 01900000-0000-7000-8000-0000000000c1 --balance 1500.25',
  ])
}
