import type { ExchangeRate } from '../../client/received.ts'
import { field, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

/** Rates are no money: their numbers are shown as they came. */
export const rateColumns: readonly Column<ExchangeRate>[] = [
  field('bid', ({ bid }) => bid),
  field('ask', ({ ask }) => ask),
  time('last_updated_utc', (rate) => rate.last_updated_utc),
  field('source', ({ source }) => source),
]
