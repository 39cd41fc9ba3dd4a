import { integer } from '../../cli/arguments.ts'
import { type Context, command } from '../../cli/command.ts'
import { endlessOutput } from '../../cli/endless_output.ts'
import { lines } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import type { EndReason, WorldEvent } from '../../contract/control/events.ts'
import { money } from '../../contract/money.ts'
import type { Money } from '../../contract/schemas/scalars.ts'
import { columnsOf, field, money as moneyColumn, prose, status, time } from '../../output/columns.ts'
import { clockTime } from '../../run/time.ts'
import { remarkOn, withShortIds } from './requests.ts'
import { originOf } from './worlds.ts'

const columns = columnsOf<WorldEvent>(
  { ...time('at'), text: ({ at }: WorldEvent) => clockTime(at), width: '12:00:00'.length },
  { ...field('type'), heading: 'event', width: 'subscription'.length, uncut: true },
  { ...prose('what', whatHappened), width: 60, text: (event: WorldEvent) => withShortIds(whatHappened(event)) },
  { ...status('status', statusIn), width: 'processing'.length },
  moneyColumn('amount', amountIn),
  '-id',
)

export const watch = command({
  summary: 'Print the events of a world live',
  about:
    'Print all events of the world live: requests, steps of payments, ledger entries, webhook ' +
    'deliveries and subscriptions, changes of the clock, and the start and end of other worlds.',
  flags: {
    ...controlFlags,
    '--limit <n>': { about: 'end after n events', parse: integer({ min: 1 }) },
  },
  prints: lines(async () => (await import('../../contract/control/events.ts')).WorldEvent),
  columns,
  unsorted: true,
  examples: [
    'payctl emulator watch',
    'payctl emulator watch --world shop-7 --json | jq -c "select(.type == \\"payment\\")"',
  ],
  details: `
Output on a terminal: a line for each event. Otherwise, and with --json, a JSON
document per line, as GET /_emulator/events sends it.

After a lost connection payctl reconnects and prints the missed events. A line
"resync" means that events were dropped, or came faster than payctl could print
them. After a reset payctl watches the new world.

Exit codes: 0 after a signal or --limit, or when the reader of the output or the
world ends; 12 if the emulator does not answer.`,
  async run({ limit = Number.POSITIVE_INFINITY, ...steering }, context) {
    const output = endlessOutput(context)
    try {
      await steer(steering, context, (control) => output.stream(firstOf(limit, eventsOf(control, context)), columns))
    } catch (error) {
      if (!context.signal.aborted) throw error
    }
  },
})

async function* firstOf(limit: number, events: AsyncIterable<WorldEvent>): AsyncGenerator<WorldEvent, void> {
  let count = 0
  for await (const event of events) {
    yield event
    count += 1
    if (count === limit) return
  }
}

/** Yields the events of a world and, after a reset, of the new world. */
async function* eventsOf(control: ControlClient, { output }: Context): AsyncGenerator<WorldEvent, void> {
  const onRetry = ({ reason }: { readonly reason: string }) => output.note(`Connecting again: ${reason}.`)
  for (let isReplaced = true; isReplaced; ) {
    isReplaced = false
    for await (const event of control.events({ onRetry })) {
      yield event
      isReplaced = event.type === 'end' && (event.reason === 'reset' || event.reason === 'restored')
    }
  }
}

/** Describes the event in a clause; other columns show the other facts of the event. */
function whatHappened(event: WorldEvent): string {
  switch (event.type) {
    case 'open':
      return `${event.resumed ? 'connected again to' : 'watching'} the world ${event.world.name}`
    case 'request': {
      const { id, method, path } = event.request
      const remark = remarkOn(event.request)
      return `${id} ${method} ${path}${remark && `: ${remark}`}`
    }
    case 'payment': {
      const { id, channel, transfer_type, payer, payee } = event.payment
      const other = transfer_type === 'debit' ? `to ${payee.name}` : `from ${payer.name}`
      return `payment ${id} ${other} over ${channel}`
    }
    case 'entries': {
      const legs = (sign: number) =>
        event.entries
          .filter(({ amount }) => Math.sign(amount.value) === sign)
          .map(({ purpose, owner }) => `${purpose} of ${owner}`)
          .join(', ')
      return `${event.entries[0]?.movement ?? ''}: from ${legs(-1)} to ${legs(1)}`
    }
    case 'queued': {
      const { delivery, url } = event
      return `${delivery.event}, attempt ${delivery.attempts + 1} is due (${url})`
    }
    case 'delivery': {
      const { delivery, url, attempt } = event
      return `${delivery.event}, attempt ${attempt.number}: ${attempt.error ?? 'delivered'} (${url})`
    }
    case 'subscription': {
      const { change, subscription } = event
      const reason = change === 'suspended' ? ` (${subscription.suspended_reason})` : ''
      return `${change}: ${subscription.url}${reason}`
    }
    case 'clock': {
      const { now, frozen, speed } = event.clock
      const manner = frozen ? 'stopped' : speed === 1 ? 'running' : `running ${speed} times as fast`
      return event.moved_ms === 0 ? `the clock is ${manner}` : `the clock was moved to ${now} and is ${manner}`
    }
    case 'world_made':
      return `the world ${event.world.name} was made from ${originOf(event.made_from)}`
    case 'world_ended':
      return `the world ${event.world.name} ${endings[event.ended_by]}`
    case 'resync':
      return 'events are missing: more came than could be printed'
    case 'end':
      return `the world ${endings[event.reason]}`
  }
}

const endings: Readonly<Record<EndReason, string>> = {
  reset: 'was reset',
  restored: 'was replaced by a snapshot',
  deleted: 'was deleted',
  expired: 'ended because nobody used it',
  moved: 'has moved to another emulator',
  stopped: 'ended with the emulator',
}

/** The amount of a payment, or of a movement. */
function amountIn(event: WorldEvent): Money | null {
  if (event.type === 'payment') return event.payment.amount
  if (event.type !== 'entries') return null
  const amounts = event.entries.map(({ amount }) => amount).filter(({ value }) => value > 0)
  const value = amounts.reduce((sum, amount) => sum + amount.value, 0)
  return amounts[0] ? money(value, amounts[0].currency) : null
}

function statusIn(event: WorldEvent): string | null {
  if (event.type === 'payment') return event.payment.status
  if (event.type === 'queued' || event.type === 'delivery') return event.delivery.status
  if (event.type !== 'request') return null
  return event.request.status === null ? null : String(event.request.status)
}
