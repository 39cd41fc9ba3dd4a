import type { Context } from '../../cli/command.ts'
import { reporterOf } from '../../cli/reporter.ts'
import { largestPage } from '../../client/paging.ts'
import type { Payment } from '../../client/received.ts'
import type { HistoryQuery } from '../../contract/index.ts'
import { hasEnded } from '../../contract/payment_names.ts'
import { paymentsSaid } from '../../payments/counted.ts'
import { type HistoryReading, HistorySearch } from '../../payments/history.ts'
import type { Period } from '../../payments/payment_filter.ts'
import { grouped } from '../../run/counts.ts'
import { zonedTime } from '../../run/time.ts'
import { type Said, say, type Text } from '../../words/text.ts'
import { paymentLayoutOf, worldSeen } from './columns.ts'
import { noteEarlierWorlds } from './earlier_world.ts'
import type { LocalFilter } from './history_filters.ts'
import { rememberEnds } from './remember_ends.ts'
import { noteTotals, PaymentTotals } from './totals.ts'

interface Search {
  readonly query: HistoryQuery
  /** Undefined if the service applies all filters. */
  readonly local: LocalFilter | undefined
  readonly limit: number | undefined
  readonly perPage: number | undefined
}

/** Prints matching payments as they are read, then the extent of the search, then the sums. */
export async function printSearch({ query, local, limit, perPage }: Search, context: Context): Promise<void> {
  const { output } = context
  const isTable = output.format === 'table'
  const { progress } = reporterOf(context)
  const pageSize = perPage ?? (local ? largestPage : Math.min(limit ?? largestPage, largestPage))
  const client = await context.client()
  const world = worldSeen(client)
  const isEmulator = () => world() !== undefined
  const layout = paymentLayoutOf(isEmulator)
  const search = new HistorySearch({
    client,
    query,
    fits: local?.fits ?? (() => true),
    period: local?.period ?? {},
    perPage: pageSize,
    ...(limit !== undefined && { limit }),
    onPage: ({ read, total, found }) =>
      progress({
        done: read,
        ...(total && { total }),
        detail: found === 1 ? say`1 matches` : say`${grouped(found)} match`,
      }),
  })
  if (isTable && local) for (const text of periodText(local.period)) output.note(text)
  const totals = new PaymentTotals()
  const ended: Payment[] = []
  try {
    await output.stream(adding(search, totals, ended), layout)
  } finally {
    progress(null)
  }
  await rememberEnds(ended, { client, world }, context)
  const { reading } = search
  if (isTable || reading.found === 0) output.note(foundText(reading, local !== undefined))
  if (reading.read === 0) await noteEarlierWorlds({ client, world }, context)
  const unjudged = local?.unjudged()
  if (unjudged !== undefined) output.note(unjudged)
  const why = local && reading.endedBy === 'end' && reading.read > pageSize ? readAllText(reading, local) : undefined
  if (why !== undefined) output.note(why)
  if (isTable) noteTotals(totals, isEmulator(), context)
}

/** Maximum number of ended payments to record: a long history does not fit into memory. */
const mostEnded = 1000

async function* adding(
  payments: AsyncIterable<Payment>,
  totals: PaymentTotals,
  ended: Payment[],
): AsyncGenerator<Payment, void> {
  for await (const payment of payments) {
    totals.add(payment)
    if (ended.length < mostEnded && hasEnded(payment.status)) ended.push(payment)
    yield payment
  }
}

/** The searched period as text: `From 2026-11-01 00:00:00 (UTC-6) until 2026-12-01 00:00:00 (UTC-6).` */
function periodText({ since, until }: Period): readonly Text[] {
  const [from, to] = [since, until].map((ms) => (ms === undefined ? undefined : zonedTime(new Date(ms).toISOString())))
  if (from === undefined) return to === undefined ? [] : [say`Until ${to}.`]
  return [to === undefined ? say`Since ${from}.` : say`From ${from} until ${to}.`]
}

function foundText({ found, read, total, endedBy }: HistoryReading, isFiltered: boolean): Said {
  const outOf = (count: number): Text =>
    total === null ? say`${grouped(count)}` : say`${grouped(count)} of ${grouped(total)}`
  if (!isFiltered) {
    if (found === 0) return 'No payments.'
    return endedBy === 'limit' && found !== total
      ? say`${outOf(found)} payments. More: --all`
      : found === 1
        ? say`1 payment.`
        : say`${grouped(found)} payments.`
  }
  if (found === 0) return say`No payments match. Payments read: ${outOf(read)}.`
  if (endedBy === 'limit') return say`Matches until --limit: ${grouped(found)}. Payments read: ${outOf(read)}.`
  if (read === total) return found === 1 ? say`${outOf(1)} payments matches.` : say`${outOf(found)} payments match.`
  return found === 1
    ? say`1 payment matches. Payments read: ${outOf(read)}.`
    : say`${grouped(found)} payments match. Payments read: ${outOf(read)}.`
}

/** Reason why the whole history was read; undefined if the period required it. */
function readAllText({ read, order }: HistoryReading, { period }: LocalFilter): Text | undefined {
  if (period.since === undefined)
    return say`The whole history was read (${paymentsSaid(read)}), because the service does not know these filters. To read less: --since <when>`
  return order === 'newest first'
    ? undefined
    : say`The whole history was read (${paymentsSaid(read)}), because the service does not list the newest payments first.`
}
