import { duration, isUuid } from '../../cli/arguments.ts'
import type { Context } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { answer, rows } from '../../cli/prints.ts'
import type { Client } from '../../client/client.ts'
import type { Named, Payment } from '../../client/received.ts'
import { endedUnpaid } from '../../contract/payment_names.ts'
import { toRun } from '../../errors/next_step.ts'
import { printable } from '../../run/sanitise.ts'
import { localTime } from '../../run/time.ts'
import { moneyOutcome } from '../../values/money_outcome.ts'
import { foreign } from '../../words/text.ts'
import { paymentLayout, paymentLayoutOf, worldSeen } from './columns.ts'
import { rememberEnds } from './remember_ends.ts'

const paymentArgument = {
  '<id>': { about: 'id of the payment, at least five characters of the id, or last', of: 'payment' },
} as const

export const get = command({
  summary: 'Show one payment',
  about: 'Show one payment. Its status does not change the exit code: see payctl payments watch.',
  args: paymentArgument,
  prints: answer('payments.get'),
  examples: [
    'payctl payments get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl payments get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --json',
    'payctl payments get last',
  ],
  async run({ id: text }, context) {
    await requirePaymentText(text)
    const client = await context.client()
    const world = worldSeen(client)
    const isEmulator = () => world() !== undefined
    const layout = paymentLayoutOf(isEmulator)
    const { id, payment } = await named(text, context)
    const found = payment ?? (await read({ id, client, world }, context))
    await context.output.record(found, layout)
    await rememberEnds([found], { client, world }, context)
    if (context.output.format === 'table' && moneyOutcome(found, isEmulator()) === 'not_known')
      await noteBalance(found, context)
  },
})

export const watch = command({
  summary: 'Print each status of a payment as it comes',
  about: 'Print each status of a payment as it comes. Exit 0 completed, 8 ended otherwise, 9 still in progress.',
  args: paymentArgument,
  flags: {
    '--wait-timeout <duration>': {
      about: 'time limit',
      parse: duration,
      default: 60_000,
      defaultText: '60s',
    },
  },
  prints: rows('payments.history'),
  examples: [
    'payctl payments watch 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl payments watch 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --wait-timeout 5m --output ndjson',
  ],
  async run({ id: text, waitTimeout }, context) {
    const [{ statusChanges }, { requireCompleted }] = await Promise.all([
      import('../../payments/follow.ts'),
      import('./print_payment.ts'),
      requirePaymentText(text),
    ])
    const client = await context.client()
    const world = worldSeen(client)
    const { signal } = context
    const { id } = await named(text, context)
    let last: Named<Payment> | undefined
    const changes = statusChanges(id, { client, signal, timeout: waitTimeout })
    const printing = print(
      noting(changes, (payment) => (last = payment)),
      context,
    )
    await explaining(printing, { id, client, world }, context)
    if (last) await rememberEnds([last], { client, world }, context)
    requireCompleted(last ?? { id }, world() !== undefined)
  },
})

interface Sought {
  readonly id: string
  readonly client: Client
  readonly world: () => string | undefined
}

const read = ({ id, client, world }: Sought, context: Context) =>
  explaining(client.call('payments.get', { params: { id } }), { id, client, world }, context)

/** Explains a 404 for a payment of an earlier world. */
const explaining = <T>(reading: Promise<T>, sought: Sought, context: Context): Promise<T> =>
  reading.catch(async () => {
    const { orOfEarlierWorld } = await import('./earlier_world.ts')
    return orOfEarlierWorld(reading, sought, context)
  })

/** If a payment ended without paying, names the command that shows the payer's balance. */
async function noteBalance({ status, payer }: Payment, { output, globals, translate }: Context): Promise<void> {
  if (!endedUnpaid(status) || !payer.iban) return
  const { hintOf } = await import('../../cli/next_step.ts')
  output.note(hintOf(toRun(['accounts', 'balance', payer.iban], 'To see the balance'), globals, translate))
}

/** Throws UsageError for a value that can't name a payment, before the service is asked. */
async function requirePaymentText(text: string): Promise<void> {
  if (isUuid(text.trim().toLowerCase())) return
  const { requirePart } = await import('./short_id.ts')
  requirePart(text, 'payment')
}

/** Scripts name a payment by its whole id; for a whole id, nothing else is loaded. */
async function named(
  text: string,
  context: Context,
): Promise<{ readonly id: string; readonly payment?: Named<Payment> }> {
  const id = text.trim().toLowerCase()
  if (isUuid(id)) return { id }
  const { paymentNamed } = await import('./short_id.ts')
  return paymentNamed(text, context)
}

/** Prints a line for each change, even into a pipe: a table would wait for all rows. */
async function print(changes: AsyncIterable<Payment>, { output, translate }: Context): Promise<void> {
  if (output.format !== 'table') return output.stream(changes, paymentLayout)
  for await (const { status, error_message } of changes) {
    const words = [status, error_message].flatMap((word) => (word ? [translate(foreign(word))] : []))
    await output.line(printable([localTime(new Date().toISOString()), ...words].join('  ')))
  }
}

async function* noting<T>(items: AsyncIterable<T>, note: (item: T) => void): AsyncGenerator<T, void> {
  for await (const item of items) {
    note(item)
    yield item
  }
}
