import { command } from '../../cli/command.ts'
import type { RowOf } from '../../cli/endpoint_command.ts'
import { rows } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { columnsOf, money, prose, time } from '../../output/columns.ts'
import { clockTime } from '../../run/time.ts'
import { shownPart } from '../../values/text.ts'
import { worldId } from './world_id.ts'

type Entry = RowOf<'control.timeline'>

const columns = columnsOf<Entry>(
  { ...time('at'), text: ({ at }: Entry) => clockTime(at ?? '') },
  'kind',
  {
    ...prose('what'),
    text: ({ id, what, kind, status }: Entry) =>
      withShortIds(kind === 'request' ? [id, status, what].filter(Boolean).join(' ') : (what ?? '')),
  },
  money('amount'),
  '-status',
  '-id',
  '-duration_ms',
)

/** As other lists show ids: `...88f6b`. */
const withShortIds = (text: string): string => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, shownPart)

export const show = command({
  summary: 'Show all that happened to a payment or request',
  about:
    'Show what happened to a payment, or because of a request, in the order of time: requests, statuses, ledger ' +
    'entries, events, attempts at deliveries, and moves of the clock.',
  args: {
    '<payment|request>': {
      about: 'of a request (r12), or of a payment: a part of it, or last',
      of: 'payment',
      as: 'text',
    },
  },
  flags: controlFlags,
  prints: rows('control.timeline'),
  columns,
  examples: [
    'payctl emulator show 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    'payctl emulator show last',
    'payctl emulator show r12 --output csv',
  ],
  async run({ text, ...steering }, context) {
    const entries = await steer(steering, context, async (control) => {
      const isRequest = /^r\d+$/i.test(text)
      const id = isRequest ? text : await worldId({ text, kind: 'payment' }, control, context)
      return control.call('control.timeline', { params: { id } })
    })
    await context.output.list(entries, columns)
  },
})
