import type { DeliveryStatus, PaymentStatus } from '../../src/contract/index.ts'
import type { Statements } from './statements.ts'

type Counts<Name extends string> = Partial<Record<Name, number>>

/** How many of everything there are. */
export function countsIn(db: Statements) {
  const total = (table: string) => {
    const count = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck()
    return (): number => count.get() ?? 0
  }
  const byStatus = <Name extends string>(table: string) => {
    const rows = db.prepare<[], { status: Name; count: number }>(
      `SELECT status, count(*) AS count FROM ${table} GROUP BY status`,
    )
    return (): Counts<Name> =>
      Object.fromEntries(rows.all().map(({ status, count }) => [status, count])) as Counts<Name>
  }
  return {
    users: total('users'),
    accounts: total('accounts'),
    subscriptions: total('subscriptions'),
    suspended: total('subscriptions WHERE suspended_at IS NOT NULL'),
    payments: byStatus<PaymentStatus>('payments'),
    deliveries: byStatus<DeliveryStatus>('deliveries'),
  }
}
