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
  summary: 'List webhook deliveries, or send one again',
  about: 'List webhook deliveries, newest first; show one, or send it again.',
  items: 'deliveries',
  columns,
  none: { words: 'No deliveries. Deliveries go to subscriptions', next: toRun(['webhooks', 'create', '...']) },
  examples: ['payctl emulator deliveries', 'payctl emulator deliveries --per-page 100 --json'],
  commands: { show: () => show, resend: () => resend, settings: () => settings },
})

type EmulatedSubscription = RowOf<'control.subscriptions.list'>

export const subscriptions = endpointCommand('control.subscriptions.list', {
  summary: 'List the webhook subscriptions of all users.',
  items: 'subscriptions',
  columns: columnsOf<EmulatedSubscription>(
    { ...field('id'), shortened: true },
    field('active'),
    field('events', ({ events }: EmulatedSubscription) => events.join(' ')),
    { ...field('url'), uncut: true },
    '-user_id',
  ),
  none: { words: 'No subscriptions', next: toRun(['webhooks', 'create', '...']) },
  examples: ['payctl emulator subscriptions', 'payctl emulator subscriptions --json'],
})

/** Parses the id of a delivery: `12` is `whd_000000000012`. */
const deliveryId = (text: string): string => (/^\d{1,12}$/.test(text) ? `whd_${text.padStart(12, '0')}` : text.trim())

const idArgument = {
  '<id>': { about: 'id that receivers see as X-Webhook-Id, or the number in it: 12', parse: deliveryId },
} as const

type DeliveryDetail = RowOf<'control.deliveries.get'>

const show = endpointCommand('control.deliveries.get', {
  summary: 'Show a delivery with its body and the result of its last attempt; --json has all attempts.',
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
  summary: 'Send a delivery again, or sooner. A suspended subscription gets the delivery when it is resumed.',
  args: idArgument,
  columns,
  examples: ['payctl emulator deliveries resend whd_000000000012'],
})

type DeliverySettings = RowOf<'control.deliverySettings.get'>

const settings = endpointCommand('control.deliverySettings.get', {
  summary: 'Show or change the settings of deliveries',
  about: 'Show or change the settings of deliveries. The settings apply to later attempts, including retries.',
  flags: {
    '--plain': { about: 'omit the emulator’s own headers: X-Webhook-Id and X-Webhook-Attempt' },
    '--no-plain': { about: 'send those headers' },
    '--sign <header>': { about: 'send the signature in the header with this name', parse: headerName },
    '--no-sign': { about: 'send no signature' },
  },
  changes: 'control.deliverySettings.set',
  members: ({ plain, sign }) => ({ plain, signature_header: sign === false ? null : sign }),
  columns: columnsOf<DeliverySettings>(
    'plain',
    field('signature_header', ({ signature_header }: DeliverySettings) => signature_header ?? 'off'),
  ),
  examples: ['payctl emulator deliveries settings', 'payctl emulator deliveries settings --plain --sign X-Signature'],
})
