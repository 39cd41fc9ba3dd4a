import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { columnsOf, field, status as statusColumn, time } from '../../output/columns.ts'

type State = RowOf<'control.state'>

const columns = columnsOf<State>(
  'version',
  'world',
  'seed',
  time('clock', ({ clock }: State) => clock.now),
  field('frozen', ({ clock }: State) => clock.frozen),
  field('settle_ms', ({ settle_ms }: State) => settleText(settle_ms)),
  'lenient_iban',
  'users',
  'accounts',
  field('payments', ({ payments }: State) => counted(payments)),
  'unfinished',
  field('subscriptions', ({ subscriptions }: State) => counted(subscriptions)),
  field('deliveries', ({ deliveries }: State) => counted(deliveries)),
  statusColumn('pin', ({ rails }: State) => rails.pin),
  statusColumn('sinpe_movil', ({ rails }: State) => rails.sinpe_movil),
  statusColumn('fx', ({ fx }: State) => (fx.offline ? 'offline' : 'online')),
  'ledger_balanced',
)

export const status = endpointCommand('control.state', {
  summary: 'Show what the emulator holds, in numbers',
  about: 'Show what the emulator holds, in numbers, and whether its books balance.',
  columns,
  examples: ['payctl emulator status', 'payctl emulator status --json'],
})

export const reset = endpointCommand('control.reset', {
  summary: 'Put the emulator back to its seed',
  about:
    'Put the emulator back to its seed: accounts, payments, users, tokens, subscriptions, settings, clock. It does not ask.',
  columns,
  examples: ['payctl emulator reset', 'payctl emulator reset --quiet --json'],
})

/** One time for both rails, or both: `1000`, `pin 5000, sinpe_movil 3000..15000`. */
function settleText({ pin, sinpe_movil }: State['settle_ms']): string {
  const [first, second] = [pin, sinpe_movil].map((time) =>
    typeof time === 'object' && time !== null ? `${time.from}..${time.to}` : `${time}`,
  )
  return first === second ? `${first}` : `pin ${first}, sinpe_movil ${second}`
}

/** Omits zeros: `2 completed, 1 failed`. */
function counted(counts: Readonly<Record<string, number | null | undefined>>): string {
  const some = Object.entries(counts).filter(([, count]) => count)
  return some.map(([name, count]) => `${count} ${name}`).join(', ') || '0'
}
