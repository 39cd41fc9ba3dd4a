import { accountsIn } from './accounts.ts'
import { authorizationsIn } from './authorizations.ts'
import { countsIn } from './counts.ts'
import { deliveriesIn } from './deliveries.ts'
import { ledgerIn } from './ledger.ts'
import { oauthClientsIn } from './oauth_clients.ts'
import { paymentsIn } from './payments.ts'
import { refreshTokensIn } from './refresh_tokens.ts'
import { registryIn } from './registry.ts'
import { settingsIn } from './settings.ts'
import type { Statements } from './statements.ts'
import { subscriptionsIn } from './subscriptions.ts'
import { tokenRecordsIn } from './token_records.ts'
import { tokensIn } from './tokens.ts'
import { usersIn } from './users.ts'

export type Store = ReturnType<typeof storeIn>

/** Everything a world keeps, one aggregate a file. */
export function storeIn(db: Statements) {
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
    subscriptions: subscriptionsIn(db),
    deliveries: deliveriesIn(db),
    counts: countsIn(db),
  }
}
