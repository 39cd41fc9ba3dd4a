import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { withHint } from '../../cli/next_step.ts'
import { envelopeOf, noneOn, notePage, type PageFlags, pageOptions, partOf } from '../../cli/page_note.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { ScheduledCredit } from '../../contract/control/credits.ts'
import { toRun } from '../../errors/next_step.ts'
import { detail, field, money, status, time, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { worldId } from './world_id.ts'

type Row = Received<ScheduledCredit>

export const scheduledColumns: readonly Column<Row>[] = [
  { ...field<Row>('id', ({ id }) => id), shortened: true, uncut: true },
  time('due_at', ({ due_at }) => due_at),
  status('status', (credit) => credit.status),
  money('amount', ({ amount }) => amount),
  detail('currency', ({ amount }) => amount.currency),
  field('channel', ({ channel }) => channel),
  words('name', ({ name }) => name),
  detail('from', ({ from }) => from),
  detail('document_number', ({ document_number }) => document_number),
  { ...words<Row>('description', ({ description }) => description), detail: true },
  detail('sinpe_reference', ({ sinpe_reference }) => sinpe_reference),
  field('state_code', ({ state_code }) => state_code),
  detail('account_id', ({ account_id }) => account_id),
  { ...time<Row>('created_at', ({ created_at }) => created_at), detail: true },
]

export const list: CommandModule = (command, context) => {
  pageOptions(controlled(command), 'credits')
    .description('List scheduled credits, newest first: still to come, received or returned.')
    .action(async ({ all, page, perPage, envelope }: PageFlags) => {
      const { output, globals } = context
      const schedule = toRun(['emulator', 'credit', '--to', '...', '--amount', '...', '--after', '2h'], 'Schedule one')
      const none = withHint('No scheduled credits.', schedule, globals)
      const query = { page, per_page: perPage }
      if (all) {
        return steer(command, context, (control) =>
          output.stream(control.items('control.credits.list', { query }), scheduledColumns, { none }),
        )
      }
      const answer = await steer(command, context, (control) => control.call('control.credits.list', { query }))
      await output.list(answer.data, scheduledColumns, {
        ...envelopeOf(answer, envelope, context),
        none: noneOn(answer, none),
        part: partOf(answer),
      })
      notePage(answer, { items: 'credits' }, context)
    })
  listOptions(command, { columns: scheduledColumns, schema: 'ScheduledCredit' }, context)
  examples(command, ['payctl emulator credit list', 'payctl emulator credit list --per-page 100 --json'])
}

export const cancel: CommandModule = (command, context) => {
  controlled(command)
    .argument('<credit>', 'its id, or a part of it')
    .action(async (text: string) => {
      const cancelled = await steer(command, context, async (control) => {
        const id = await worldId({ text, kind: 'scheduled credit' }, control, context)
        return control.call('control.credits.cancel', { params: { id } })
      })
      await context.output.record(cancelled, scheduledColumns)
    })
  examples(command, ['payctl emulator credit cancel 88f6b'])
}
