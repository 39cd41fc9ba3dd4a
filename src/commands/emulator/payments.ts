import { emulatedDuration } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { endpointCommand } from '../../cli/endpoint_command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { AccountStatus } from '../../contract/schemas/account.ts'
import { PaymentStatus } from '../../contract/schemas/payment.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { accountColumns } from '../accounts.ts'
import { paymentLayout } from '../payments/columns.ts'
import { amountOrZero } from './settings.ts'
import { idInWorld, worldId } from './world_id.ts'

export const payment = command({
  summary: 'Move a payment to a status, now or later',
  about:
    'Move a payment to a status that it can reach, with all steps on the way: money moves and events are sent as usual. ' +
    'A completed payment can be returned: its payer gets a credit.',
  args: {
    '<payment>': { about: 'its id, a part of it, or last', of: 'payment' },
    '<status>': {
      about: 'new status, or return',
      as: 'to',
      choices: [...PaymentStatus.enum.filter((status) => status !== 'pending'), 'return'],
    },
  },
  flags: {
    ...controlFlags,
    '--reason <code>': {
      about: 'state code of the failure: account_closed, or any other (default: rejected)',
    },
    '--error <text>': { about: 'reason of the failure, for people (default: the usual text of the code)' },
    '--after <duration>': {
      about: 'not now, but in so long by the emulator’s clock: 90s, 2h',
      parse: emulatedDuration,
    },
  },
  prints: answer('control.payments.move'),
  examples: [
    'payctl emulator payment 3f2504e0-4f89-41d3-9a0c-0305e82c3301 completed',
    'payctl emulator payment 88f6b failed --reason account_closed',
    'payctl emulator payment 88f6b failed --error "Account closed"',
    'payctl emulator payment last completed --after 2h',
    'payctl emulator payment last return',
  ],
  async run({ payment: text, to, reason, error, after, ...steering }, context) {
    if (to === 'return' && [reason, error, after].some((value) => value !== undefined)) {
      throw new UsageError('A return happens at once and has no reason: leave --reason, --error and --after out.')
    }
    const moved = await steer(steering, context, async (control) => {
      const params = { id: await worldId({ text, kind: 'payment' }, control, context) }
      if (to === 'return') return control.call('control.payments.return', { params })
      const body = { to, state_code: reason, error, ...(after && { after_ms: after }) }
      return control.call('control.payments.move', { params, body })
    })
    await context.output.record(moved, paymentLayout)
  },
})

export const account = endpointCommand('control.accounts.get', {
  summary: 'Show an account, or set its status or balance',
  about: 'Show an account of any user, or set its status or its available balance.',
  args: { '<account>': { about: 'its id, its IBAN, or the end of one of them', of: 'account id' } },
  flags: {
    '--status <status>': {
      about: 'only an active account can pay and be paid',
      choices: AccountStatus.enum,
    },
    '--balance <amount>': { about: 'balance in major units of its currency: 1500.25, or 0', parse: amountOrZero },
  },
  changes: 'control.accounts.set',
  members: ({ account: text, status, balance }) => ({
    id: idInWorld({ text, kind: 'account' }),
    status,
    balance,
  }),
  columns: accountColumns,
  examples: [
    'payctl emulator account 01900000-0000-7000-8000-0000000000c1',
    'payctl emulator account ...00c1 --status inactive',
    'payctl emulator account 01900000-0000-7000-8000-0000000000c1 --balance 1500.25',
  ],
})
