import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { WorldState } from '../../contract/control/state.ts'
import { field, status as statusColumn, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

type State = Received<WorldState>

const columns: readonly Column<State>[] = [
  field('version', ({ version }) => version),
  field('world', ({ world }) => world),
  field('seed', ({ seed }) => seed),
  time('clock', ({ clock }) => clock.now),
  field('frozen', ({ clock }) => clock.frozen),
  field('settle_ms', ({ settle_ms }) => settleText(settle_ms)),
  field('lenient_iban', ({ lenient_iban }) => lenient_iban),
  field('users', ({ users }) => users),
  field('accounts', ({ accounts }) => accounts),
  field('payments', ({ payments }) => counted(payments)),
  field('unfinished', ({ unfinished }) => unfinished),
  field('subscriptions', ({ subscriptions }) => counted(subscriptions)),
  field('deliveries', ({ deliveries }) => counted(deliveries)),
  statusColumn('pin', ({ rails }) => rails.pin),
  statusColumn('sinpe_movil', ({ rails }) => rails.sinpe_movil),
  statusColumn('fx', ({ fx }) => (fx.offline ? 'offline' : 'online')),
  field('ledger_balanced', ({ ledger_balanced }) => ledger_balanced),
]

export const status: CommandModule = (command, context) => {
  controlled(command)
    .description('Show what the emulator holds, in numbers, and whether its books balance.')
    .action(async () => {
      const state = await steer(command, context, (control) => control.call('control.state'))
      await context.output.record(state, columns)
    })
  examples(command, ['payctl emulator status', 'payctl emulator status --json'])
}

export const reset: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Put the emulator back to its seed: accounts, payments, users, tokens, subscriptions, settings, clock. It does not ask.',
    )
    .action(async () => {
      const state = await steer(command, context, (control) => control.call('control.reset'))
      await context.output.record(state, columns)
    })
  examples(command, ['payctl emulator reset', 'payctl emulator reset --quiet --json'])
}

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
