import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { withHint } from '../../cli/next_step.ts'
import { envelopeOf, noneOn, notePage, type PageFlags, pageOptions, partOf } from '../../cli/page_note.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { ControlAnswerOf, Received } from '../../client/received.ts'
import type { Delivery, DeliveryDetail } from '../../contract/control/deliveries.ts'
import { toRun } from '../../errors/next_step.ts'
import { detail, field, nested, status, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { headerName } from '../emulate_values.ts'

const columns: readonly Column<Received<Delivery>>[] = [
  field('id', ({ id }) => id),
  time('created_at', ({ created_at }) => created_at),
  field('event', ({ event }) => event),
  status('status', (delivery) => delivery.status),
  field('attempts', ({ attempts }) => attempts),
  { ...time<Received<Delivery>>('due_at', ({ due_at }) => due_at), detail: true },
  detail('subscription_id', ({ subscription_id }) => subscription_id),
]

const detailColumns: readonly Column<Received<DeliveryDetail>>[] = [
  ...columns,
  field('last_status', ({ history }) => history.at(-1)?.status),
  field('last_error', ({ history }) => history.at(-1)?.error),
  field('last_answer', ({ history }) => history.at(-1)?.answer),
  nested('body', ({ body }) => body),
]

export const deliveries: CommandModule = (command, context) => {
  pageOptions(controlled(command), 'deliveries')
    .description('List webhook deliveries, newest first; look into one, or send it again.')
    .usage('[options] [command]')
    .action(async ({ all, page, perPage, envelope }: PageFlags) => {
      const { output, globals } = context
      const none = withHint(
        'No deliveries. They are made for subscriptions',
        toRun(['webhooks', 'create', '...']),
        globals,
      )
      const query = { page, per_page: perPage }
      if (all) {
        return steer(command, context, (control) =>
          output.stream(control.items('control.deliveries.list', { query }), columns, { none }),
        )
      }
      const answer = await steer(command, context, (control) => control.call('control.deliveries.list', { query }))
      await output.list(answer.data, columns, {
        ...envelopeOf(answer, envelope, context),
        none: noneOn(answer, none),
        part: partOf(answer),
      })
      notePage(answer, { items: 'deliveries' }, context)
    })
  listOptions(command, { columns, schema: 'Delivery' }, context)
  examples(command, ['payctl emulator deliveries', 'payctl emulator deliveries --per-page 100 --json'])
  return {
    show: {
      summary: 'Show a delivery with what was sent and what came of its last attempt; --json has all attempts.',
      usage: '<id>',
      load: () => show,
    },
    resend: {
      summary: 'Send a delivery again, or sooner. To a suspended subscription it goes when that is resumed.',
      usage: '<id>',
      load: () => resend,
    },
    settings: {
      summary: 'Show or set how deliveries are sent',
      load: () => settings,
    },
  }
}

/** `12` is `whd_000000000012`. */
const deliveryId = (text: string): string => (/^\d{1,12}$/.test(text) ? `whd_${text.padStart(12, '0')}` : text.trim())

const show: CommandModule = (command, context) => {
  controlled(command)
    .argument('<id>', 'its id, which receivers see as X-Webhook-Id, or the number in it: 12', deliveryId)
    .action(async (id: string) => {
      const input = { params: { id } }
      const delivery = await steer(command, context, (control) => control.call('control.deliveries.get', input))
      await context.output.record(delivery, detailColumns)
    })
  examples(command, ['payctl emulator deliveries show whd_000000000012 --json'])
}

const resend: CommandModule = (command, context) => {
  controlled(command)
    .argument('<id>', 'its id, which receivers see as X-Webhook-Id, or the number in it: 12', deliveryId)
    .action(async (id: string) => {
      const input = { params: { id } }
      const delivery = await steer(command, context, (control) => control.call('control.deliveries.resend', input))
      await context.output.record(delivery, columns)
    })
  examples(command, ['payctl emulator deliveries resend whd_000000000012'])
}

type DeliverySettings = ControlAnswerOf<'control.deliverySettings.get'>

const settingColumns: readonly Column<DeliverySettings>[] = [
  field('plain', ({ plain }) => plain),
  field('signature_header', ({ signature_header }) => signature_header ?? 'off'),
]

interface SettingFlags {
  readonly plain?: boolean
  readonly sign?: string | false
}

const settings: CommandModule = (command, context) => {
  controlled(command)
    .description('Show or set how deliveries are sent from now on, repeated attempts included.')
    .option('--plain', 'without the emulator’s own headers: X-Webhook-Id and X-Webhook-Attempt')
    .option('--no-plain', 'with them')
    .option('--sign <header>', 'with their signature in this header', headerName)
    .option('--no-sign', 'without a signature')
    .action(async ({ plain, sign }: SettingFlags) => {
      const body = { plain, signature_header: sign === false ? null : sign }
      const asked = Object.values(body).some((value) => value !== undefined)
      const shown = await steer(command, context, (control) =>
        asked ? control.call('control.deliverySettings.set', { body }) : control.call('control.deliverySettings.get'),
      )
      await context.output.record(shown, settingColumns)
    })
  examples(command, [
    'payctl emulator deliveries settings',
    'payctl emulator deliveries settings --plain --sign X-Signature',
  ])
}
