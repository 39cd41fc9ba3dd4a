import { emulatedDuration } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { moneyText } from '../../contract/money.ts'
import { AccountStatus } from '../../contract/schemas/account.ts'
import { PaymentStatus } from '../../contract/schemas/payment.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, detail, field, iban, id, money, nested, status, time, words } from '../../output/columns.ts'
import type { Card } from '../../output/output.ts'
import { counted } from '../../run/counts.ts'
import { clockTime } from '../../run/time.ts'
import { accountColumns } from '../accounts.ts'
import { paymentLayout, paymentLayoutOf } from '../payments/columns.ts'
import { filterFlags } from '../payments/history_filters.ts'
import { periodFlags, periodOf } from '../period.ts'
import { amountOrZero } from './settings.ts'
import { idInWorld, worldId } from './world_id.ts'

export const payment = command({
  summary: 'Move a payment to a status, now or later',
  about:
    'Move a payment to a status that it can reach, with all steps on the way: money moves and events are sent as usual. ' +
    'A completed payment can be returned: the payer gets a credit.',
  args: {
    '<payment>': { about: 'id, part of the id, or last', of: 'payment' },
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
    '--error <text>': { about: 'human-readable reason for the failure (default: the usual text of the code)' },
    '--after <duration>': {
      about: 'delay by the emulator’s clock: 90s, 2h (default: none)',
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

export const payments = endpointCommand('control.payments.list', {
  summary: 'List payments, or show one with its next steps',
  about: 'List the payments of all users of a world, newest first; show one with its history and next steps.',
  flags: {
    '--text <text>': {
      about:
        'only payments with this text, or this amount: 1500.25\nsearches ids, keys, references, IBANs, phones, names and descriptions',
    },
    '--status <status>': filterFlags['--status <status>'],
    '--channel <channel>': filterFlags['--channel <channel>'],
    '--direction <direction>': { about: filterFlags['--direction <direction>'].about, choices: ['in', 'out'] },
    '--account <account>': { about: 'only payments of this account: id, IBAN, or the end of either', of: 'account id' },
    ...periodFlags,
  },
  members({ text, status, channel, direction, account, since, until }) {
    const period = periodOf({ since, until })
    return {
      text,
      status: status?.join(','),
      channel,
      transfer_type: direction && (direction === 'in' ? 'credit' : 'debit'),
      account: account && idInWorld({ text: account, kind: 'account' }),
      from: isoTime(period.since),
      to: isoTime(period.until),
    }
  },
  items: 'payments',
  columns: { ...paymentLayoutOf(() => true), schema: 'Payment' },
  none: 'No payments.',
  examples: [
    'payctl emulator payments',
    'payctl emulator payments --status pending,processing --channel pin',
    'payctl emulator payments --text 87000001 --since today --json',
  ],
  commands: { show: () => showPayment },
})

type EmulatedAccount = RowOf<'control.accounts.list'>

export const accounts = endpointCommand('control.accounts.list', {
  summary: 'List the accounts of all users',
  about: 'List the accounts of all users of a world, oldest first, with the money held for payments in progress.',
  items: 'accounts',
  columns: columnsOf<EmulatedAccount>(
    { ...id('id'), shortened: true },
    iban('iban'),
    money('balance'),
    money('held'),
    detail('currency', ({ balance }: EmulatedAccount) => balance.currency),
    status('status'),
    words('owner_name'),
    { ...field('user_id'), spare: true },
  ),
  none: 'No accounts.',
  examples: ['payctl emulator accounts', 'payctl emulator accounts --json'],
})

const isoTime = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString()

type Story = RowOf<'control.payments.get'>
type Step = Story['next'][number]

const showPayment = endpointCommand('control.payments.get', {
  summary: 'Show a payment, its history, and its possible next steps.',
  args: { '<payment>': { about: 'id, part of the id, or last', of: 'payment' } },
  members: ({ payment: text }) => ({ id: idInWorld({ text, kind: 'payment' }) }),
  columns: {
    columns: columnsOf<Story>(
      ...paymentLayout.columns,
      'outcome',
      time('due_at'),
      nested('statuses'),
      nested('entries'),
      nested('events'),
      nested('deliveries'),
      nested('next'),
    ),
    card: storyCard,
  },
  after: ({ id, next }) =>
    next.length === 0
      ? 'No step is left: the status is final.'
      : { words: 'Take a step now', next: toRun(['emulator', 'payment', id ?? '', argumentOf(next[0])]) },
  examples: ['payctl emulator payments show last', 'payctl emulator payments show 88f6b --jq ".next[].to"'],
})

/**
 * Argument with which `payctl emulator payment` takes a step: the status after the step, but `return` for `returned`.
 */
const argumentOf = (step: Step | undefined): string => (step?.to === 'returned' ? 'return' : (step?.to ?? ''))

function storyCard(story: Story): Card {
  const { statuses, held, entries, events, deliveries, requests, next } = story
  const card = paymentLayout.card?.(story) ?? { mark: 'unknown', title: [], lines: [] }
  const at = (time: string | null | undefined) => clockTime(time ?? '')
  return {
    ...card,
    lines: [
      ...card.lines,
      ['Story', statuses.map(({ status, at: time }) => `${status} at ${at(time)}`).join(', ')],
      ['Held', held.value === 0 ? null : moneyText(held)],
      [
        'Entries',
        entries.map(({ movement, amount, purpose }) => `${movement} ${moneyText(amount)} ${purpose}`).join(', '),
      ],
      ['Events', events.map(({ event, at: time }) => `${event} at ${at(time)}`).join(', ')],
      ['Deliveries', deliveries.map(({ id, event, status }) => `${id} ${event} ${status}`).join(', ')],
      ['Requests', requests.join(', ')],
      ...next.map((step, index): Card['lines'][number] => [index === 0 ? 'Next' : ' ', stepWords(step)]),
    ],
  }
}

/**
 * Describes a next step: `completed by itself at 12:00:01: captures 1,500.25 CRC, payment.completed to 1 subscription`.
 */
function stepWords({ to, due_at, entries, events }: Step): string {
  const when = due_at ? `by itself at ${clockTime(due_at)}` : 'on demand'
  const [entry] = entries
  const effects = [
    ...(entry ? [`${entry.movement}s ${moneyText(entry.amount).replace('-', '')}`] : []),
    ...events
      .filter(({ deliveries }) => deliveries)
      .map(({ event, deliveries }) => `${event} to ${counted(deliveries ?? 0, 'subscription')}`),
  ]
  return `${to} ${when}${effects.length > 0 ? `: ${effects.join(', ')}` : ''}`
}

export const account = endpointCommand('control.accounts.get', {
  summary: 'Show an account, or set its status or balance',
  about: 'Show an account of any user, or set its status or its available balance.',
  args: { '<account>': { about: 'id, IBAN, or the end of either', of: 'account id' } },
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
