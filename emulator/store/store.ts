import type { DeliveryStatus, PaymentStatus } from '../../src/contract/index.ts'
import { accountsIn } from './accounts.ts'
import { authorizationsIn, refreshTokensIn } from './authorizations.ts'
import type { Statements } from './database.ts'
import { deliveriesIn } from './deliveries.ts'
import { idsIn } from './ids.ts'
import { ledgerIn } from './ledger.ts'
import { oauthClientsIn } from './oauth_clients.ts'
import { paymentStoryIn } from './payment_story.ts'
import { paymentsIn } from './payments.ts'
import { registryIn } from './registry.ts'
import { scheduledCreditsIn } from './scheduled_credits.ts'
import { settingsIn } from './settings.ts'
import { subscriptionsIn } from './subscriptions.ts'
import { tokenRecordsIn, tokensIn } from './tokens.ts'
import { usersIn } from './users.ts'

/** All tables of a world, one file for each aggregate. */
export interface Store {
  readonly settings: ReturnType<typeof settingsIn>
  readonly users: ReturnType<typeof usersIn>
  readonly tokens: ReturnType<typeof tokensIn>
  readonly tokenRecords: ReturnType<typeof tokenRecordsIn>
  readonly clients: ReturnType<typeof oauthClientsIn>
  readonly authorizations: ReturnType<typeof authorizationsIn>
  readonly refreshTokens: ReturnType<typeof refreshTokensIn>
  readonly ledger: ReturnType<typeof ledgerIn>
  readonly accounts: ReturnType<typeof accountsIn>
  readonly registry: ReturnType<typeof registryIn>
  readonly payments: ReturnType<typeof paymentsIn>
  readonly scheduledCredits: ReturnType<typeof scheduledCreditsIn>
  readonly story: ReturnType<typeof paymentStoryIn>
  readonly subscriptions: ReturnType<typeof subscriptionsIn>
  readonly deliveries: ReturnType<typeof deliveriesIn>
  readonly ids: ReturnType<typeof idsIn>
  readonly counts: ReturnType<typeof countsIn>
}

export function storeIn(db: Statements): Store {
  const users = usersIn(db)
  const ledger = ledgerIn(db)
  return {
    settings: settingsIn(db),
    users,
    tokens: tokensIn(db),
    tokenRecords: tokenRecordsIn(db),
    clients: oauthClientsIn(db),
    authorizations: authorizationsIn(db),
    refreshTokens: refreshTokensIn(db),
    ledger,
    accounts: accountsIn(db, { users, ledger }),
    registry: registryIn(db),
    payments: paymentsIn(db),
    scheduledCredits: scheduledCreditsIn(db),
    story: paymentStoryIn(db),
    subscriptions: subscriptionsIn(db),
    deliveries: deliveriesIn(db),
    ids: idsIn(db),
    counts: countsIn(db),
  }
}

type Counts<Name extends string> = Partial<Record<Name, number>>

/** Row counts, for the state of the world. */
function countsIn(db: Statements) {
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
