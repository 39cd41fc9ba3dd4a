import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { TimelineEntry } from '../../contract/control/requests.ts'
import { detail, field, money, prose, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { clockTime } from '../../run/time.ts'
import { shownPart } from '../../values/text.ts'
import { worldId } from './world_id.ts'

type Entry = Received<TimelineEntry>

const columns: readonly Column<Entry>[] = [
  { ...time<Entry>('at', ({ at }) => at), text: ({ at }) => clockTime(at ?? '') },
  field('kind', ({ kind }) => kind),
  {
    ...prose<Entry>('what', ({ what }) => what),
    text: ({ id, what, kind, status }) =>
      withShortIds(kind === 'request' ? [id, status, what].filter(Boolean).join(' ') : (what ?? '')),
  },
  money('amount', ({ amount }) => amount),
  detail('status', ({ status }) => status),
  detail('id', ({ id }) => id),
  detail('duration_ms', ({ duration_ms }) => duration_ms),
]

/** As other lists show ids: `...88f6b`. */
const withShortIds = (text: string): string => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, shownPart)

export const show: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Show what happened to a payment, or because of a request, in the order of time: requests, statuses, ledger ' +
        'entries, events, attempts at deliveries, and moves of the clock.',
    )
    .argument('<payment|request>', 'of a request (r12), or of a payment: a part of it, or last')
    .action(async (text: string) => {
      const entries = await steer(command, context, async (control) => {
        const isRequest = /^r\d+$/i.test(text)
        const id = isRequest ? text : await worldId({ text, kind: 'payment' }, control, context)
        return control.call('control.timeline', { params: { id } })
      })
      await context.output.list(entries, columns)
    })
  listOptions(command, { columns, schema: 'TimelineEntry' }, context)
  examples(command, [
    'payctl emulator show 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    'payctl emulator show last',
    'payctl emulator show r12 --output csv',
  ])
}
