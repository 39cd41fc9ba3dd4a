import type { Received } from '../../client/received.ts'
import type { TimelineEntry } from '../../contract/control/requests.ts'
import { detail, field, money, time, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { clockTime } from '../../run/time.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { controlled, steer } from './steer.ts'

type Entry = Received<TimelineEntry>

const columns: readonly Column<Entry>[] = [
  { ...time<Entry>('at', ({ at }) => at), text: ({ at }) => clockTime(at ?? '') },
  field('kind', ({ kind }) => kind),
  {
    ...words<Entry>('what', ({ what }) => what),
    text: ({ id, what, kind, status }) => (kind === 'request' ? `${id} ${status} ${what}` : (what ?? '')),
  },
  money('amount', ({ amount }) => amount),
  detail('status', ({ status }) => status),
  detail('id', ({ id }) => id),
  detail('duration_ms', ({ duration_ms }) => duration_ms),
]

export const show: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Show what happened to a payment, or because of a request, in the order of time: requests, statuses, ledger ' +
        'entries, events, attempts at deliveries, and moves of the clock.',
    )
    .argument('<id>', 'of a request (r12) or of a payment')
    .action(async (id: string) => {
      const input = { params: { id } }
      const entries = await steer(command, context, (control) => control.call('control.timeline', input))
      await context.output.list(entries, columns)
    })
  examples(command, [
    'payctl emulator show 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    'payctl emulator show r12 --output csv',
  ])
}
