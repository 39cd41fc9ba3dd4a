import { accountsIn } from './accounts.ts'
import type { Statements } from './database.ts'
import { deliveriesIn } from './deliveries.ts'
import { ledgerIn } from './ledger.ts'
import { authorizationsIn, oauthClientsIn, refreshTokensIn } from './oauth.ts'
import { paymentsIn } from './payments.ts'
import { countsIn, idsIn, paymentStoryIn } from './queries.ts'
import { registryIn } from './registry.ts'
import { scheduledCreditsIn } from './scheduled_credits.ts'
import { WorldSettings } from './settings.ts'
import { subscriptionsIn } from './subscriptions.ts'
import { tokenRecordsIn, tokensIn } from './tokens.ts'
import { usersIn } from './users.ts'

/** All tables of a world; each aggregate has its own source file. */
export interface Store {
  readonly settings: WorldSettings
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
    settings: new WorldSettings(db),
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
