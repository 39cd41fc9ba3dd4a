import { type ControlOutputOf, DeliveryStatus, PaymentStatus } from '../../src/contract/index.ts'
import type { Store } from '../store/store.ts'

// These functions read whole tables; for a large world they run in a worker thread.

/** Checks that no money was lost or duplicated. */
export function checkLedger({
  store: { ledger, payments },
}: {
  readonly store: Store
}): ControlOutputOf<'control.ledger'> {
  const problems = ledger.problems()
  return {
    balanced: problems.length === 0,
    problems,
    payments: payments.count(),
    entries: ledger.entries(),
    unfinished: payments.unfinished(),
  }
}

export type Counts = ReturnType<typeof countsIn>

/** Counts of a world's resources, as `control.state` returns them. */
export function countsIn(store: Store) {
  const { counts, ledger, payments } = store
  const suspended = counts.suspended()
  return {
    users: counts.users(),
    accounts: counts.accounts(),
    payments: withZeros(PaymentStatus.enum, counts.payments()),
    unfinished: payments.unfinished(),
    subscriptions: { active: counts.subscriptions() - suspended, suspended },
    deliveries: withZeros(DeliveryStatus.enum, counts.deliveries()),
    ledger_balanced: ledger.problems().length === 0,
  }
}

const withZeros = <Name extends string>(names: readonly Name[], counts: Partial<Record<Name, number>>) =>
  Object.fromEntries(names.map((name) => [name, counts[name] ?? 0])) as Record<Name, number>
