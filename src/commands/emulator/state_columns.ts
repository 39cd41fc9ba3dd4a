import type { SandboxState } from '../../contract/control/state.ts'
import { field, status, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

export const stateColumns: readonly Column<SandboxState>[] = [
  field('version', ({ version }) => version),
  field('world', ({ world }) => world),
  field('seed', ({ seed }) => seed),
  time('clock', ({ clock }) => clock.now),
  field('frozen', ({ clock }) => clock.frozen),
  field('settle_ms', ({ settle_ms }) => settle_ms ?? 'manual'),
  field('users', ({ users }) => users),
  field('accounts', ({ accounts }) => accounts),
  field('payments', ({ payments }) => counted(payments)),
  field('unfinished', ({ unfinished }) => unfinished),
  field('subscriptions', ({ subscriptions }) => counted(subscriptions)),
  field('deliveries', ({ deliveries }) => counted(deliveries)),
  status('pin', ({ rails }) => rails.pin),
  status('sinpe_movil', ({ rails }) => rails.sinpe_movil),
  status('fx', ({ fx }) => (fx.offline ? 'offline' : 'online')),
  field('ledger_balanced', ({ ledger_balanced }) => ledger_balanced),
]

/** Only what there is any of: `2 completed, 1 failed`. */
function counted(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0)
  return some.map(([name, count]) => `${count} ${name}`).join(', ') || '0'
}
