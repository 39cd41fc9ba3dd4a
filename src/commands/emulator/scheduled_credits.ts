import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, detail, field, money, status, time, words } from '../../output/columns.ts'
import { idInWorld } from './world_id.ts'

type ScheduledCredit = RowOf<'control.credits.list'>

export const scheduledColumns = columnsOf<ScheduledCredit>(
  { ...field('id'), shortened: true, uncut: true },
  time('due_at'),
  status('status'),
  money('amount'),
  detail('currency', ({ amount }: ScheduledCredit) => amount.currency),
  'channel',
  words('name'),
  '-from',
  '-document_number',
  { ...words('description'), detail: true },
  '-sinpe_reference',
  'state_code',
  '-account_id',
  { ...time('created_at'), detail: true },
)

export const list = endpointCommand('control.credits.list', {
  summary: 'List credits scheduled with --after or --at.',
  about: 'List scheduled credits, newest first: still to come, received or returned.',
  items: 'credits',
  columns: scheduledColumns,
  none: {
    words: 'No scheduled credits.',
    next: toRun(['emulator', 'credit', '--to', '...', '--amount', '...', '--after', '2h'], 'Schedule one'),
  },
  examples: ['payctl emulator credit list', 'payctl emulator credit list --per-page 100 --json'],
})

export const cancel = endpointCommand('control.credits.cancel', {
  summary: 'Cancel a credit that is still to come. Prints what it was.',
  args: { '<credit>': { about: 'its id, or a part of it' } },
  members: ({ credit: text }) => ({ id: idInWorld({ text, kind: 'scheduled credit' }) }),
  columns: scheduledColumns,
  examples: ['payctl emulator credit cancel 88f6b'],
})
