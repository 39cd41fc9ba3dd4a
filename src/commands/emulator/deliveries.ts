import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, field, nested, status, time } from '../../output/columns.ts'
import { headerName } from '../emulate/values.ts'

const columns = columnsOf<RowOf<'control.deliveries.list'>>(
  'id',
  time('created_at'),
  'event',
  status('status'),
  'attempts',
  { ...time('due_at'), detail: true },
  '-subscription_id',
)

export const deliveries = endpointCommand('control.deliveries.list', {
  summary: 'List webhook deliveries, send one again',
  about: 'List webhook deliveries, newest first; look into one, or send it again.',
  items: 'deliveries',
  columns,
  none: { words: 'No deliveries. They are made for subscriptions', next: toRun(['webhooks', 'create', '...']) },
  examples: ['payctl emulator deliveries', 'payctl emulator deliveries --per-page 100 --json'],
  commands: { show: () => show, resend: () => resend, settings: () => settings },
})

/** `12` is `whd_000000000012`. */
const deliveryId = (text: string): string => (/^\d{1,12}$/.test(text) ? `whd_${text.padStart(12, '0')}` : text.trim())

const idArgument = {
  '<id>': { about: 'its id, which receivers see as X-Webhook-Id, or the number in it: 12', parse: deliveryId },
} as const

type DeliveryDetail = RowOf<'control.deliveries.get'>

const show = endpointCommand('control.deliveries.get', {
  summary: 'Show a delivery with what was sent and the result of its last attempt; --json has all attempts.',
  args: idArgument,
  columns: columnsOf<DeliveryDetail>(
    ...columns,
    field('last_status', ({ history }: DeliveryDetail) => history.at(-1)?.status),
    field('last_error', ({ history }: DeliveryDetail) => history.at(-1)?.error),
    field('last_answer', ({ history }: DeliveryDetail) => history.at(-1)?.answer),
    nested('body'),
  ),
  examples: ['payctl emulator deliveries show whd_000000000012 --json'],
})

const resend = endpointCommand('control.deliveries.resend', {
  summary: 'Send a delivery again, or sooner. To a suspended subscription it goes when that is resumed.',
  args: idArgument,
  columns,
  examples: ['payctl emulator deliveries resend whd_000000000012'],
})

type DeliverySettings = RowOf<'control.deliverySettings.get'>

const settings = endpointCommand('control.deliverySettings.get', {
  summary: 'Show or set how deliveries are sent',
  about: 'Show or set how deliveries are sent from now on, repeated attempts included.',
  flags: {
    '--plain': { about: 'without the emulator’s own headers: X-Webhook-Id and X-Webhook-Attempt' },
    '--no-plain': { about: 'with them' },
    '--sign <header>': { about: 'with their signature in this header', parse: headerName },
    '--no-sign': { about: 'without a signature' },
  },
  changes: 'control.deliverySettings.set',
  members: ({ plain, sign }) => ({ plain, signature_header: sign === false ? null : sign }),
  columns: columnsOf<DeliverySettings>(
    'plain',
    field('signature_header', ({ signature_header }: DeliverySettings) => signature_header ?? 'off'),
  ),
  examples: ['payctl emulator deliveries settings', 'payctl emulator deliveries settings --plain --sign X-Signature'],
})
