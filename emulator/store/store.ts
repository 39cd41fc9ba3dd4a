import type { Database as Connection } from 'better-sqlite3'
import { accountsIn } from './accounts.ts'
import { ledgerIn } from './ledger.ts'
import { paymentsIn } from './payments.ts'
import { registryIn } from './registry.ts'
import { settingsIn } from './settings.ts'
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
    ledger,
    accounts: accountsIn(connection, { users, ledger }),
    registry: registryIn(connection),
    payments: paymentsIn(connection),
  }
}
