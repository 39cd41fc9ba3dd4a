import type { Database as Connection } from 'better-sqlite3'
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
import { subscriptionsIn } from './subscriptions.ts'
import { tokenRecordsIn } from './token_records.ts'
import { tokensIn } from './tokens.ts'
import { usersIn } from './users.ts'

export type Store = ReturnType<typeof storeIn>

/** Everything a sandbox keeps, one aggregate a file; all statements are prepared here, once. */
export function storeIn(connection: Connection) {
  const users = usersIn(connection)
  const ledger = ledgerIn(connection)
  return {
    settings: settingsIn(connection),
    users,
    tokens: tokensIn(connection),
    tokenRecords: tokenRecordsIn(connection),
    clients: oauthClientsIn(connection),
    authorizations: authorizationsIn(connection),
    refreshTokens: refreshTokensIn(connection),
    ledger,
    accounts: accountsIn(connection, { users, ledger }),
    registry: registryIn(connection),
    payments: paymentsIn(connection),
    subscriptions: subscriptionsIn(connection),
    deliveries: deliveriesIn(connection),
    counts: countsIn(connection),
  }
}
