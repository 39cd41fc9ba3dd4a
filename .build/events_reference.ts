import { deliveryHeaders, eventNames, eventSummaries, events } from '../src/contract/index.ts'
import { markdownTable } from './markdown_table.ts'
import { fields } from './schema_markdown.ts'

/** The events as sections. */
export const eventsReference = (): string[] => [
  '# Events',
  `Delivered to webhook subscriptions as \`{event, data, timestamp}\`, by POST, with the subscription’s own headers, \`${deliveryHeaders.id}\` (the same over all attempts) and \`${deliveryHeaders.attempt}\` (1 for the first).`,
  markdownTable(
    ['event', 'when'],
    eventNames.map((name) => [`\`${name}\``, eventSummaries[name]]),
  ),
  'All have these members in `data`:',
  dataGrid('payment.created'),
  '`payment.failed` has two more:',
  dataGrid('payment.failed', Object.keys(events['payment.created'].properties.data.properties)),
]

/** Members of an event's data, without those common to all. */
function dataGrid(name: (typeof eventNames)[number], known: readonly string[] = []): string {
  const rows = fields('', events[name].properties.data).map(([, ...cells]) => cells)
  return markdownTable(
    ['name', 'type', '', 'rules'],
    rows.filter(([member]) => !known.includes(member?.replaceAll('`', '') ?? '')),
  )
}
