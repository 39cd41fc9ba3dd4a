import { describe, expect } from 'vitest'
import { accountCases } from './cases/accounts.ts'
import { authenticationCases } from './cases/authentication.ts'
import { eventCases } from './cases/events.ts'
import { faultCases } from './cases/faults.ts'
import { fxCases } from './cases/fx.ts'
import { historyCases } from './cases/history.ts'
import { httpCases } from './cases/http.ts'
import { idempotencyCases } from './cases/idempotency.ts'
import { interfaceCases } from './cases/interface.ts'
import { lookupCases } from './cases/lookups.ts'
import { oauthCases } from './cases/oauth.ts'
import { paymentCases } from './cases/payments.ts'
import { railCases } from './cases/rails.ts'
import { rateLimitCases } from './cases/rate_limits.ts'
import { refusalCases } from './cases/refusals.ts'
import { subscriptionCases } from './cases/subscriptions.ts'
import { sumCases } from './cases/sums.ts'
import { type Suite, suiteOn } from './suite.ts'
import type { Target } from './target.ts'

/** The suite for every server of this interface. `files` are names of files in `cases/`; all files by default. */
export function conformance(target: Target, files = Object.keys(allCases)): Suite {
  const suite = suiteOn(target)
  describe(target.name, () => {
    for (const file of files) describe(file, () => allCases[file]?.(suite))
    suite.steered('after all this the ledger balances', async () => {
      await suite.control.advanceClock(60_000)
      expect((await suite.control.ledger()).problems).toEqual([])
    })
  })
  return suite
}

/** Cases by file name. */
const allCases: Readonly<Record<string, (suite: Suite) => void>> = {
  interface: interfaceCases,
  sums: sumCases,
  authentication: authenticationCases,
  accounts: accountCases,
  payments: paymentCases,
  refusals: refusalCases,
  idempotency: idempotencyCases,
  history: historyCases,
  lookups: lookupCases,
  rails: railCases,
  fx: fxCases,
  subscriptions: subscriptionCases,
  events: eventCases,
  oauth: oauthCases,
  rate_limits: rateLimitCases,
  http: httpCases,
  faults: faultCases,
}
