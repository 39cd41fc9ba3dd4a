import { documentNumber, emulatedDuration, instant } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { normalizeIban } from '../../contract/iban.ts'
import { isPhone, normalizePhone } from '../../contract/phone.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, detail, field, money, status, time, words } from '../../output/columns.ts'
import { looksLikeIban } from '../../values/recipient.ts'
import { paymentLayout } from '../payments/columns.ts'
import { amountOf, decimalFlag } from '../payments/payment_flags.ts'
import { idInWorld, worldId } from './world_id.ts'

export const credit = command({
  summary: 'Make money arrive from another bank, now or later',
  about:
    'Make money arrive from another bank, now or later: the account is credited, the history lists the payment, and ' +
    'transaction.received is sent.',
  flags: {
    ...controlFlags,
    '--to <iban|phone|account>': {
      about: 'account of the emulator: its IBAN, phone or id, or the end of its id',
      of: 'account id',
    },
    '--amount <amount>': { about: 'amount in major units of the account’s currency: 1500.25 or 1.500,25' },
    ...decimalFlag,
    '--amount-minor <integer>': { about: 'amount in minor units: 150025' },
    '--from-iban <iban>': { about: 'IBAN of the sender, for a credit by PIN', parse: normalizeIban },
    '--from-phone <phone>': {
      about: 'phone of the sender, for a credit by SINPE Móvil',
      parse: normalizePhone,
      conflicts: 'fromIban',
    },
    '--name <name>': { about: 'name of the sender (default: the registry’s, or generated)' },
    '--document <number>': {
      about: 'document of the sender (default: as for --name)',
      parse: documentNumber,
    },
    '--description <text>': { about: 'description that the sender gave' },
    '--reference <25 digits>': { about: 'SINPE reference, unique in the world (default: generated)' },
    '--after <duration>': {
      about: 'delay by the emulator’s clock: 90s, 2h (default: none)',
      parse: emulatedDuration,
    },
    '--at <time>': {
      about: 'time of arrival by the emulator’s clock (default: now)\nISO 8601; without a zone, Costa Rica time',
      parse: instant,
      conflicts: 'after',
    },
  },
  prints: { '': answer('control.credits.create'), '--after': answer('control.credits.schedule') },
  examples: [
    'payctl emulator credit --to 8800-1234 --amount 1500.25',
    "payctl emulator credit --to 'CR76 0999 1000 0000 0000 01' --amount 20 --from-iban CR05015202001026284066",
    'payctl emulator credit --to 8800-1234 --amount 500 --after 2h',
    'payctl emulator credit --to 88001234 --amount 500 --from-phone 8700-0001 --name "Ana Vargas" --json',
  ],
  commands: { list: () => list, cancel: () => cancel },
  async run(input, context) {
    const { to, fromIban, fromPhone, name, document, description, reference, after, at } = input
    if (to === undefined) throw new UsageError('The account is missing.', 'Add --to with its phone, IBAN or id')
    const body = {
      amount: amountOf(input),
      ...(fromIban !== undefined && { from_iban: fromIban }),
      ...(fromPhone !== undefined && { from_phone: fromPhone }),
      ...(name !== undefined && { name }),
      ...(document !== undefined && { document_number: document }),
      ...(description !== undefined && { description }),
      ...(reference !== undefined && { sinpe_reference: reference }),
    }
    await steer(input, context, async (control) => {
      const account = isPartOfId(to) ? await worldId({ text: to, kind: 'account' }, control, context) : to
      const credit = { ...body, to: account }
      if (after === undefined && at === undefined) {
        await context.output.record(await control.call('control.credits.create', { body: credit }), paymentLayout)
        return
      }
      const scheduled = { ...credit, ...(at === undefined ? { after_ms: after } : { at }) }
      const answer = await control.call('control.credits.schedule', { body: scheduled })
      await context.output.record(answer, scheduledColumns)
    })
  },
})

/** True for a value that can be part of an id, and is neither a phone nor an IBAN. */
const isPartOfId = (text: string): boolean =>
  /^(\.{2,}|…)?[0-9a-f-]{4,35}$/i.test(text) && !isPhone(normalizePhone(text)) && !looksLikeIban(text)

type ScheduledCredit = RowOf<'control.credits.list'>

const scheduledColumns = columnsOf<ScheduledCredit>(
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
  about: 'List scheduled credits, newest first, including those that have been received or returned.',
  items: 'credits',
  columns: scheduledColumns,
  none: {
    words: 'No scheduled credits.',
    next: toRun(['emulator', 'credit', '--to', '...', '--amount', '...', '--after', '2h'], 'Schedule one'),
  },
  examples: ['payctl emulator credit list', 'payctl emulator credit list --per-page 100 --json'],
})

export const cancel = endpointCommand('control.credits.cancel', {
  summary: 'Cancel a credit that has not arrived yet. Prints it.',
  args: { '<credit>': { about: 'id, or part of the id' } },
  members: ({ credit: text }) => ({ id: idInWorld({ text, kind: 'scheduled credit' }) }),
  columns: scheduledColumns,
  examples: ['payctl emulator credit cancel 88f6b'],
})
